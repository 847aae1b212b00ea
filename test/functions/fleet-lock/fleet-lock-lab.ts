import { FleetLock } from '../../../functions/core/configuration/fleet-lock.ts';
import { fleetLock } from '../../../functions/fleet-lock/fleet-lock.ts';
import type { FleetLocks } from '../../../functions/ports/tables.ts';
import { createFaults, fakeClock, fakeIds, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';
import { answerOf, fakeSecrets, post } from '../receiving.ts';

export const token = 'group-token';

/** What Zincati sends: no content type, and a body that its serialiser has spread over lines. */
export function zincatiBody(id: string, group = 'default'): string {
  return JSON.stringify({ client_params: { id, group } }, undefined, 2);
}

export const zincatiHeaders: Readonly<Record<string, string>> = {
  'fleet-lock-protocol': 'true',
  accept: '*/*',
};

interface LabOptions {
  readonly configuration?: unknown;
  readonly locks?: (own: FleetLocks) => FleetLocks;
}

/** The handler over the table in memory, and machines that ask it. */
export function fleetLockLab({
  configuration = { groups: { default: { tokenSecret: 't' } } },
  locks,
}: LabOptions = {}) {
  const clock = fakeClock('2026-03-02T10:00:00.000Z');
  const faults = createFaults();
  const tables = fakeTables(faults);
  const logger = fakeLogger();
  const settings = FleetLock.parse(configuration);
  const handle = fleetLock({
    fleetLock: settings,
    locks: locks === undefined ? tables.fleetLocks : locks(tables.fleetLocks),
    timeline: tables.timeline,
    secrets: fakeSecrets({ t: [token, 'old-token'], other: ['other-token'] }),
    clock: clock.now,
    newId: fakeIds(),
    logger,
    metrics: fakeMetrics(),
  });

  async function send(path: string, body: string, headers = zincatiHeaders) {
    const { status, body: answered } = await answerOf(await handle(post(path, body, headers)));
    return { status, ...(answered as { readonly kind?: string; readonly value?: string }) };
  }

  return {
    clock,
    faults,
    handle,
    logger,
    send,
    timeline: () => tables.timeline.all().map(({ text }) => text),
    lock: (id: string, group?: string) => send(`/fleet-lock/${token}/v1/pre-reboot`, zincatiBody(id, group)),
    unlock: (id: string, group?: string) => send(`/fleet-lock/${token}/v1/steady-state`, zincatiBody(id, group)),
    release: (id: string, more: object = { reason: 'its disk is broken', by: 'alice' }) =>
      send(`/fleet-lock/${token}/v1/release`, JSON.stringify({ client_params: { id, group: 'default' }, ...more }), {}),
    locks: tables.fleetLocks,
    held: async () => (await tables.fleetLocks.load()).held.map(({ id }) => id),
  };
}
