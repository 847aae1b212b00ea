import type { Delivery, Incident } from '../core/alerts/incident.ts';
import { type ArrivedMail, afterArrival } from '../core/alerts/returned-mail.ts';
import { keyText } from '../core/findings/trouble.ts';
import { Transient } from '../core/text/errors.ts';
import type { SendPorts } from './send-ports.ts';

/** Lost races against other writers of the same incident, in a row. */
const raceLimit = 20;

/** Mail arrived at addresses of these targets: nothing that came back from there before counts any more. The next pass
 *  over the cluster ends the incident. Throws Transient. */
export async function noteArrival(
  arrived: readonly ArrivedMail[],
  targets: readonly string[],
  ports: Pick<SendPorts, 'incidents'>,
): Promise<void> {
  for (const incident of await ports.incidents.list()) {
    for (const target of targets) {
      if ((incident.deliveries[target]?.returned ?? []).length === 0) continue;
      await changeDelivery(incident, target, (delivery) => arrived.reduce(afterArrival, delivery), ports);
    }
  }
}

/** Throws Transient. */
export async function changeDelivery(
  { key }: Incident,
  target: string,
  by: (delivery: Delivery) => Delivery,
  { incidents }: Pick<SendPorts, 'incidents'>,
): Promise<void> {
  for (let race = 0; race < raceLimit; race += 1) {
    const incident = await incidents.loadOne(key);
    const delivery = incident?.deliveries[target];
    if (incident === undefined || delivery === undefined) return;
    const changed = by(delivery);
    if (changed === delivery) return;
    if (await incidents.save({ ...incident, deliveries: { ...incident.deliveries, [target]: changed } })) return;
  }
  throw new Transient(`${keyText(key)}: other writers were faster ${raceLimit} times`, { kind: 'conflict' });
}
