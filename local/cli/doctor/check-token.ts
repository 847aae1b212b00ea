import { claimsOf } from '../../../functions/adapters/kubernetes/service-account-token.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { type Connected, connectAgain } from './remedy-commands.ts';

/** Share of its lifetime after which a token should have been renewed: renewal is at half. */
const lateShare = 0.75;

/** Expiry of a cluster's token, from its own claims. */
export function checkToken(connected: Connected, token: string, now: Date): Finding {
  const about = connected.cluster;
  const claims = claimsOf(token);
  const again = `issue a new one: ${connectAgain(connected)}`;
  if (claims === undefined) return warning(about, 'token: not a ServiceAccount token, so it is not renewed', again);
  const account = `${claims.namespace}/${claims.name}`;
  const { expiresAt, issuedAt } = claims;
  if (expiresAt === undefined)
    return warning(about, `token: of ${account}, never expires; anyone who obtains it can use it forever`, again);
  const end = `${expiresAt.toISOString().slice(0, 16)}Z`;
  if (expiresAt <= now) return wrong(about, `token: of ${account}, expired ${end}`, again);
  const life = expiresAt.getTime() - (issuedAt ?? expiresAt).getTime();
  const lived = now.getTime() - (issuedAt ?? expiresAt).getTime();
  if (life > 0 && lived > lateShare * life) {
    const remedy = 'the service renews at half the life: see "cluster token not renewed" in the log of keep-pools';
    return warning(about, `token: of ${account}, expires ${end} and was not renewed`, remedy);
  }
  return ok(about, `token: of ${account}, valid until ${end}`);
}
