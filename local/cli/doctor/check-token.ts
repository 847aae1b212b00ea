import { claimsOf } from '../../../functions/adapters/kubernetes/service-account-token.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** Share of its life after which a token should have been renewed long ago: renewal is at half. */
const lateShare = 0.75;

/** How long the token of a cluster is good for, by what it says of itself. */
export function checkToken(about: string, token: string, now: Date): Finding {
  const claims = claimsOf(token);
  const again = `npx poolkeeper connect --name ${about} makes a new one`;
  if (claims === undefined) return warning(about, 'token: is no token of a ServiceAccount, so nobody renews it', again);
  const account = `${claims.namespace}/${claims.name}`;
  const { expiresAt, issuedAt } = claims;
  if (expiresAt === undefined)
    return warning(about, `token: of ${account}, never ends; whoever finds it has it for ever`, again);
  const end = `${expiresAt.toISOString().slice(0, 16)}Z`;
  if (expiresAt <= now) return wrong(about, `token: of ${account}, has ended ${end}`, again);
  const life = expiresAt.getTime() - (issuedAt ?? expiresAt).getTime();
  const lived = now.getTime() - (issuedAt ?? expiresAt).getTime();
  if (life > 0 && lived > lateShare * life) {
    const remedy = 'the service renews at half the life: see "cluster token not renewed" in the log of keep-pools';
    return warning(about, `token: of ${account}, ends ${end} and was not renewed`, remedy);
  }
  return ok(about, `token: of ${account}, good until ${end}`);
}
