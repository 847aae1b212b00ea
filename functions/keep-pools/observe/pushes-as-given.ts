import type { RelaySettings } from '../../core/configuration/argocd.ts';
import { instanceOfHold } from '../../core/holds/new-applications.ts';
import { endpointsFor } from '../../core/relay/endpoints.ts';
import type { Push } from '../../core/routing/awaited-push.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';

/** The push as the Argo CD of this sync hold was given it. */
type AsGiven = (push: Push, hold: string) => Push;

/** GitHub delivers a push again under the same id. That is no new push for an Argo CD that has got it: it counts from
 *  when it was received first. One that goes through the relay counts from the reception that Argo CD has accepted,
 *  at each of its servers; until then from this one, because nothing that has happened since answers it.
 *  @param holds ids of the sync holds that it is for */
export async function pushesAsGiven(
  { eventId }: Scope,
  { pushes }: Checkpoint,
  holds: readonly string[],
  ports: KeepPorts,
): Promise<AsGiven> {
  const known = pushes.find((each) => each.delivery === eventId);
  if (known === undefined) return (push) => push;
  const instances = new Set(holds.map(instanceOfHold));
  const accepted = new Map(
    await Promise.all(
      ports.configuration.argocd.flatMap(({ name, relay }) =>
        relay !== undefined && instances.has(name) ? [acceptedBy({ name, relay }, eventId, ports)] : [],
      ),
    ),
  );
  return (push, hold) => {
    const argocd = instanceOfHold(hold) ?? '';
    const given = accepted.has(argocd) ? (accepted.get(argocd) ?? push.at) : known.at;
    const at = given < push.at ? given : push.at;
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
