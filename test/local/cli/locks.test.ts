import { afterEach, expect, test } from 'vitest';
import { FleetLock } from '../../../functions/core/configuration/fleet-lock.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { fleetLock } from '../../../functions/fleet-lock/fleet-lock.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { locks } from '../../../local/cli/locks.ts';
import { type LocalServer, startLocalServer } from '../../../local/run/local-server.ts';
import { fakeClock, fakeIds, fakeLogger, fakeMetrics, fakeTables } from '../../fakes/index.ts';
import { fakeSecrets } from '../../functions/receiving.ts';

const servers: LocalServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/** The real functions behind one address, with one machine that has its slot. */
async function served() {
  const clock = fakeClock('2026-03-02T10:00:00.000Z');
  const tables = fakeTables();
  const settings = FleetLock.parse({ groups: { default: { tokenSecret: 't' }, db: { tokenSecret: 't', slots: 2 } } });
  const held = [{ group: 'default', id: 'machine-1', since: '2026-03-02T09:30:00.000Z' }];
  await tables.fleetLocks.save({ version: 0, held });
  const newId = fakeIds();
  const configuration = { clusters: [], sequences: undefined, fleetLock: settings };
  const server = await startLocalServer(
    {
      '* /status': statusOf({ ...tables, configuration, clock: clock.now, newId }),
      '* /fleet-lock/{proxy+}': fleetLock({
        fleetLock: settings,
        locks: tables.fleetLocks,
        timeline: tables.timeline,
        secrets: fakeSecrets({ t: ['group-token'] }),
        clock: clock.now,
        newId,
        logger: fakeLogger(),
        metrics: fakeMetrics(),
      }),
    },
    0,
  );
  servers.push(server);
  return { url: server.url, clock, tables };
}

async function run(args: readonly string[], token = 'group-token') {
  const said: string[] = [];
  const [word, ...rest] = args;
  const release = word === 'release' ? await locks.subcommands?.['release']?.load() : undefined;
  const status = await (release ?? locks).run(release === undefined ? args : rest, {
    out: (text) => said.push(text),
    note: (text) => said.push(text),
    environment: { POOLKEEPER_LOCK_TOKEN: token, USER: 'alice' },
    now: () => new Date(),
  });
  return { status, said: said.join('') };
}

test('[N-25] lists every group with its slots, who has one since when, and when it is due back', async () => {
  const { url, clock } = await served();

  const inTime = await run(['--url', url]);
  clock.advance(3600);
  const late = await run(['--url', url]);

  expect(inTime).toEqual({
    status: 0,
    said: 'db: 0 of 2 taken\n\ndefault: 1 of 1 taken\n  machine-1  since 2026-03-02T09:30:00.000Z, due back at 2026-03-02T10:30:00.000Z\n',
  });
  expect(late.status).toBe(1);
  expect(late.said).toContain('should have been back at 2026-03-02T10:30:00.000Z');
});

test('[N-25] prints the same as JSON, and shows it on the page', async () => {
  const { url } = await served();

  const { said } = await run(['--url', url, '--output', 'json']);
  const page = await (await fetch(`${url}/status`, { headers: { accept: 'text/html' } })).text();

  expect(JSON.parse(said)).toEqual([
    { group: 'db', slots: 2, held: [] },
    {
      group: 'default',
      slots: 1,
      held: [
        {
          id: 'machine-1',
          since: '2026-03-02T09:30:00.000Z',
          ageSeconds: 1800,
          dueAt: '2026-03-02T10:30:00.000Z',
          overdue: false,
        },
      ],
    },
  ]);
  expect(page).toContain('Machines outside OpenShift');
  expect(page).toContain('default: 1 of 1 slot taken');
});

test('[N-25] releases a slot with a reason, once', async () => {
  const { url, tables } = await served();
  const args = ['release', '--url', url, '--id', 'machine-1', '--reason', 'its disk is broken'];

  const first = await run(args);
  const second = await run(args);

  expect(first).toEqual({
    status: 0,
    said: 'Released: the slot of machine-1 in group default. The timeline shows it.\n',
  });
  expect(second).toEqual({ status: 1, said: 'poolkeeper: this machine has no slot of this group' });
  expect((await tables.fleetLocks.load()).held).toEqual([]);
  expect(tables.timeline.all()[0]?.text).toContain(
    'alice released that of 2026-03-02T09:30:00.000Z: its disk is broken',
  );
});

test('[N-25] refuses a release without reason, machine or token, with a wrong token, and over plain HTTP to elsewhere', async () => {
  const { url } = await served();
  const whole = ['release', '--url', url, '--id', 'machine-1', '--reason', 'broken'];

  await expect(run(whole.slice(0, 5))).rejects.toThrow(/--reason is missing/);
  await expect(run([...whole.slice(0, 5), '--reason', 'ok'])).rejects.toThrow(/--reason is too short/);
  await expect(run(['release', '--url', url, '--reason', 'broken'])).rejects.toThrow(/--id is missing/);
  await expect(run(whole, '')).rejects.toThrow(/POOLKEEPER_LOCK_TOKEN is missing/);
  await expect(run(whole, 'wrong')).rejects.toThrow(Misconfigured);
  await expect(run(['release', '--url', 'http://example.com', ...whole.slice(3)])).rejects.toThrow(/https/);
  await expect(run(['--url', 'http://127.0.0.1:1'])).rejects.toThrow(Transient);
});

test('[N-25] slots that cannot be read are said to be unknown', async () => {
  const { url, tables } = await served();
  tables.fleetLocks.load = async () => {
    throw new Transient('throttled');
  };

  await expect(run(['--url', url])).rejects.toThrow(/could not be read/);
});
