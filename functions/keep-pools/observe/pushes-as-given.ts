import type { RelaySettings } from '../../core/configuration/argocd.ts';
import { argocdsOfPush } from '../../core/holds/argocds-of-push.ts';
import { endpointsFor } from '../../core/relay/endpoints.ts';
import type { Push } from '../../core/routing/awaited-push.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';

/** The push as the Argo CDs were given it whose syncs this sync hold waits for. */
type AsGiven = (push: Push, hold: string) => Push;

/** GitHub delivers a push again under the same id. That is no new push for an Argo CD that has got it: it counts from
 *  when it was received first. One that goes through the relay counts from the reception that Argo CD has accepted,
 *  at each of its servers; until then from this one, because nothing that has happened since answers it. Where what
 *  writes an Application is in another Argo CD, both must have got it.
 *  @param given the push as it is for each sync hold, by its id */
export async function pushesAsGiven(
  { eventId }: Scope,
  { pushes }: Checkpoint,
  given: ReadonlyMap<string, Push>,
  ports: KeepPorts,
): Promise<AsGiven> {
  const known = pushes.find((each) => each.delivery === eventId);
  if (known === undefined) return (push) => push;
  const argocds = argocdsOfPush(given);
  const instances = new Set([...argocds.values()].flatMap((each) => [...each]));
  const accepted = new Map(
    await Promise.all(
      ports.configuration.argocd.flatMap(({ name, relay }) =>
        relay !== undefined && instances.has(name) ? [acceptedBy({ name, relay }, eventId, ports)] : [],
      ),
    ),
  );
  return (push, hold) => {
    const got = [...(argocds.get(hold) ?? [])].map((each) => (accepted.has(each) ? accepted.get(each) : known.at));
    const last =
      got
        .map((each) => each ?? push.at)
        .toSorted()
        .at(-1) ?? known.at;
    const at = last < push.at ? last : push.at;
    return at > known.at ? { ...push, at, isGivenLater: true } : { ...push, at: known.at };
  };
}

/** The last of what its servers have accepted; undefined: one of them has accepted none, or that could not be read.
 *  Then a pool is rather paused in vain. */
async function acceptedBy(
  { name, relay }: { readonly name: string; readonly relay: RelaySettings },
  delivery: string,
  { relayed, logger }: KeepPorts,
): Promise<readonly [string, string | undefined]> {
  try {
    const to = endpointsFor('push', relay).map((endpoint) => ({ delivery, argocd: name, endpoint }));
    const all = await Promise.all(to.map((each) => relayed?.acceptedAsOf(each)));
    const known = all.filter((each) => each !== undefined);
    return [name, known.length === all.length ? known.toSorted().at(-1) : undefined];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('whether Argo CD has got a push could not be read', { argocd: name, delivery, why: cause.message });
    return [name, undefined];
  }
}
