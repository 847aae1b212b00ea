import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { readRecord } from '../../../functions/core/openshift/pool-record.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});

afterEach(() => demo.close());

/** Status, and what was printed and noted. */
async function run(line: string, environment: Readonly<Record<string, string>> = {}, aheadMs = 0) {
  const said = { out: '', noted: '' };
  const status = await runCommand(line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [], {
    ...demo.surroundings,
    environment: { ...demo.surroundings.environment, ...environment },
    now: () => new Date(demo.clock.now().getTime() - aheadMs),
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += `${text}\n`;
    },
  });
  return { status, ...said };
}

function poolNow(name = 'worker') {
  const pool = demo.world.openshift.registry.get(machineConfigPools, name);
  const record = readRecord(pool?.metadata.annotations?.[holdsAnnotation]);
  return {
    paused: pool?.spec.paused === true,
    holds: record.kind === 'record' ? record.record.holds.map(({ id, until }) => [id, until]) : [],
    record: record.kind === 'record' ? record.record : undefined,
  };
}

async function fleetFile(server: string): Promise<string> {
  const file = join(demo.folder, 'poolkeeper.yaml');
  await writeFile(
    file,
    `clusters:
  - name: prod-eu
    api: { server: "${server}", tokenSecret: a/b, skipTLSVerify: true }
  - name: prod-us
    api: { server: https://api.prod-us.example.com:6443, tokenSecret: a/c }
argocd: [{ name: hub, cluster: prod-eu }]
alerts: { targets: [] }
`,
  );
  return file;
}

describe('poolkeeper freeze', () => {
  test('[N-21] pauses a pool until an end, with the name that the API server knows', async () => {
    const done = await run('freeze --pool worker --for 4h --reason "storage migration"');

    expect(done.status).toBe(0);
    expect(done.out).toMatch(
      /^\S+\/worker is paused; frozen until 2026-03-02T12:01Z by (\S+)\.\n {2}undo: poolkeeper thaw --pool worker --by '?\1'? --context simulated --reason "\.\.\."\n$/,
    );
    expect(poolNow()).toMatchObject({
      paused: true,
      holds: [[expect.stringMatching(/^freeze\/pool\//), '2026-03-02T12:01:00.000Z']],
    });
  });

  test('[N-21] freezes every pool but those that upgrades wait for, and a dry run writes nothing', async () => {
    const dry = await run('freeze --all --until 2026-03-09 --reason "end of year" --dry-run');
    const untouched = poolNow();
    const done = await run('freeze --all --until 2026-03-09 --reason "end of year"');

    expect(dry).toMatchObject({
      status: 0,
      out: expect.stringMatching(/worker would be paused and frozen until 2026-03-09T00:00Z by/),
    });
    expect(untouched).toMatchObject({ paused: false, holds: [] });
    expect(done).toMatchObject({
      status: 0,
      noted: expect.stringMatching(/left alone: .*master \(cluster upgrades wait for it/),
    });
    expect(poolNow().holds[0]?.[0]).toMatch(/^freeze\/cluster\//);
    expect(poolNow('master')).toMatchObject({ paused: false, holds: [] });
  });

  test.each([
    ['freeze --for 4h --reason "why not"', 'which pools?'],
    ['freeze --all --pool worker --for 4h --reason "why not"', 'which pools?'],
    ['freeze --all --for 4h', '--reason is missing'],
    ['freeze --all --reason "why not"', '--for is missing'],
    ['freeze --all --reason "why not" --for 2000h', '--for 2000h'],
    ['freeze --all --reason "why not" --until tomorrow', '--until tomorrow'],
    ['freeze --all --reason "why not" --until 2026-03-01', '--for 2026-03-01'],
    ['freeze --all --reason "why not" --for 1h --until 2026-03-09', 'either --for or --until'],
    ['freeze --pool moon --reason "why not" --for 1h', 'there is no pool moon'],
    ['freeze --pool master --reason "why not" --for 1h', '--required'],
    ['freeze --all --for 4h --reason ok', '--reason is too short: at least 3 characters'],
    ['thaw --all', '--reason is missing'],
    ['emergency --for 1h --reason "why not"', '--pool is missing'],
    ['emergency --pool worker --for 1h', '--reason is missing'],
    ['emergency --pool worker --for 48h --reason "why not"', '--for 48h'],
    ['emergency --pool worker --end --for 1h', '--end stands alone'],
  ])('[N-21] %s is refused before anything is written: %s', async (line, why) => {
    const done = await run(line);

    expect(done).toMatchObject({ status: 2, noted: expect.stringContaining(why) });
    expect(poolNow()).toMatchObject({ paused: false, holds: [] });
  });

  test('[N-21] [S0-24] beyond the first certificate is refused, unless that is accepted', async () => {
    const certExpirys = [{ bundle: 'KubeAPIServerServingCAData', subject: 'CN=x', expiry: '2026-03-03T00:00:00Z' }];
    demo.world.openshift.registry.modify(
      machineConfigPools,
      { namespace: '', name: 'worker' },
      (pool) => Object.assign(pool.status ?? {}, { certExpirys }),
      { manager: 'machine-config-controller', subresource: 'status' },
    );
    const refused = await run('freeze --all --for 48h --reason "why not"');
    const untouched = poolNow();
    const done = await run('freeze --all --for 48h --reason "why not" --past-certificates');

    expect(refused).toMatchObject({
      status: 2,
      noted: expect.stringContaining('its first certificate expires 2026-03-03'),
    });
    expect(untouched.paused).toBe(false);
    expect(done.status).toBe(0);
    expect(poolNow().paused).toBe(true);
  });

  test('[N-21] --fleet freezes each cluster by the context for its API server, and says which it could not reach', async () => {
    const file = await fleetFile(demo.world.openshift.url);
    const done = await run(`freeze --fleet --config ${file} --for 4h --reason "incident 4711"`);

    expect(done.status).toBe(1);
    expect(done.out).toContain('prod-eu/worker is paused; frozen until');
    expect(done.noted).toContain(
      'Not frozen: prod-us: no context of the kubeconfig is for https://api.prod-us.example.com:6443',
    );
    expect(poolNow().holds[0]?.[0]).toMatch(/^freeze\/fleet\//);
  });
});

describe('a frozen pool in other commands', () => {
  test('[N-21] explain says who froze it, until when and why, and that its emergency lane is open', async () => {
    await run('freeze --pool worker --for 4h --reason "storage migration"');
    const frozen = await run('explain --pool worker');
    await run('emergency --pool worker --for 1h --reason "CVE-2026-1234"');
    const lane = await run('explain --pool worker');

    expect(frozen.out.replace(/\s+/g, ' ')).toMatch(
      /Frozen by \S+ until 2026-03-02T12:01:00.000Z \(storage migration\)\./,
    );
    expect(lane.out).toMatch(/HIGH emergency lane opened by/);
  });

  test('[N-21] a pool whose record cannot be read is named, keeps no other from being frozen, and is no success', async () => {
    demo.world.openshift.registry.modify(
      machineConfigPools,
      { namespace: '', name: 'master' },
      (pool) => Object.assign(pool.metadata, { annotations: { [holdsAnnotation]: '{"v":2}' } }),
      { manager: 'kubectl' },
    );

    const done = await run('freeze --all --for 4h --reason "why not"');

    expect(done).toMatchObject({
      status: 1,
      noted: expect.stringContaining('not frozen, because they cannot be read: master'),
    });
    expect(poolNow().paused).toBe(true);
  });
});

describe('poolkeeper thaw', () => {
  test('[N-21] ends a freeze and leaves the resume to the gates', async () => {
    await run('freeze --all --for 4h --reason "why not"');
    const dry = await run('thaw --all --reason "done" --dry-run');
    const frozen = poolNow();
    const done = await run('thaw --all --reason "done"');
    const again = await run('thaw --all --reason "done"');

    expect(dry).toMatchObject({ status: 0, out: expect.stringMatching(/worker would be thawed\.\n$/) });
    expect(frozen.holds).toHaveLength(1);
    expect(done).toMatchObject({
      status: 0,
      out: expect.stringMatching(
        /worker is thawed\.\n {2}undo: poolkeeper freeze --all --until 2026-03-02T12:01Z --context simulated --reason "\.\.\."\n$/,
      ),
    });
    expect(poolNow()).toMatchObject({ paused: true, holds: [], record: { pause: 'ours', thawed: [{ why: 'done' }] } });
    expect(again).toMatchObject({ status: 1, noted: 'No pool is frozen.\n' });
  });

  test('[N-21] [N-29] names who holds the pool still, and nobody whose hold a person has overruled', async () => {
    await run('freeze --pool worker --for 4h --reason "why not"');
    const { record } = poolNow();
    const sync = { kind: 'sync', why: 'x', since: '2026-03-02T07:00:00.000Z', until: '2026-03-02T10:00:00.000Z' };
    const overruled = { ...sync, id: 'sync/nodes', who: 'nodes', overruled: { at: sync.since, by: 'bob' } };
    const standing = { ...sync, id: 'sync/apps', who: 'apps' };
    const holds = [...(record?.holds ?? []), overruled, standing];
    demo.world.openshift.registry.modify(
      machineConfigPools,
      { namespace: '', name: 'worker' },
      ({ metadata }) =>
        Object.assign(metadata, { annotations: { [holdsAnnotation]: JSON.stringify({ ...record, holds }) } }),
      { manager: 'poolkeeper' },
    );

    const done = await run('thaw --pool worker --reason "done"');

    expect(done.out).toMatch(/^\S+\/worker is thawed, held by apps\.\n/);
  });
});

test('[C-9] [N-29] the undo of a hold does not bring back one that somebody has overruled', async () => {
  await run('hold --pool worker --for 8h --reason "disks"');
  const { record } = poolNow();
  const overruled = { at: '2026-03-02T08:01:00.000Z', by: 'bob' };
  const holds = record?.holds.map((hold) => ({ ...hold, overruled }));
  demo.world.openshift.registry.modify(
    machineConfigPools,
    { namespace: '', name: 'worker' },
    ({ metadata, spec }) => {
      spec.paused = false;
      metadata.annotations = { [holdsAnnotation]: JSON.stringify({ ...record, pause: 'overridden', holds }) };
    },
    { manager: 'kubectl-patch' },
  );

  const again = await run('hold --pool worker --for 1h --reason "disks"');

  expect(again.out).toContain('undo: poolkeeper hold --pool worker --for 1m ');
});

describe('the clock of a cluster that is ahead of this machine', () => {
  const ahead = 3 * 3_600_000;

  test('[N-21] counts for how long pools are frozen and held, and is named', async () => {
    const frozen = await run('freeze --pool worker --for 2h --reason "storage migration"', {}, ahead);
    const freeze = poolNow();
    const thawed = await run('thaw --pool worker --reason "done"', {}, ahead);
    const thaw = poolNow();
    const held = await run('hold --pool worker --for 2h --reason "disks"', {}, ahead);

    expect(frozen.out).toContain('frozen until 2026-03-02T10:01Z');
    expect(frozen.noted).toMatch(/^The clock of \S+ is 3 h ahead of yours; times are its own\.\n/);
    expect(freeze.holds).toEqual([[expect.anything(), '2026-03-02T10:01:00.000Z']]);
    expect(thawed.status).toBe(0);
    expect(thaw.record).toMatchObject({ thawed: [{ at: '2026-03-02T08:01:00.000Z' }] });
    expect(held.out).toContain('holds it until 2026-03-02T10:01Z');
  });

  test.each([
    ['behind', ahead],
    ['ahead', -10 * 60_000],
    ['hardly ahead', -40_000],
  ])(
    '[S0-15] [N-21] dates a resume, whose mark is not to reach syncs that begin later, from a clock that is %s',
    async (_, aheadMs) => {
      await run('hold --pool worker --for 2h --reason "disks"');

      await run('resume --pool worker --reason "a fix must roll out"', {}, aheadMs);

      const at = '2026-03-02T08:01:00.000Z';
      expect(poolNow()).toMatchObject({ paused: false, record: { letGo: { at }, last: { did: 'overridden', at } } });
    },
  );

  test('[N-21] refuses an end that is past by it', async () => {
    const done = await run('freeze --pool worker --until 2026-03-02T07:00Z --reason "storage migration"', {}, ahead);

    expect(done).toMatchObject({
      status: 2,
      noted: expect.stringContaining('is past; by the clock of'),
    });
    expect(poolNow().holds).toEqual([]);
  });
});

describe('what freeze and thaw say of how they are undone', () => {
  /** The command behind `undo:`, with a reason. */
  function undoIn({ out }: { readonly out: string }): string {
    return (/undo: poolkeeper (.*)/.exec(out)?.[1] ?? 'none').replaceAll("'", '"').replace('"..."', '"not so"');
  }

  test('[N-21] [C-9] it does what it says, one after the other, with the end that the freeze had', async () => {
    const frozen = await run('freeze --pool worker --for 4h --reason "storage migration"');
    const thawed = await run(undoIn(frozen));
    const free = poolNow();
    const again = await run(undoIn(thawed));

    expect([frozen, thawed, again].map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(free.holds).toEqual([]);
    expect(poolNow().holds).toEqual([[expect.stringMatching(/^freeze\/pool\//), '2026-03-02T12:01:00.000Z']]);
  });

  test('[N-21] [C-9] pools that were frozen one by one are frozen one by one again, with what that needs', async () => {
    await run('freeze --pool worker --for 4h --reason "storage migration"');
    await run('freeze --pool master --for 2h --required --reason "storage migration"');

    const dry = await run('thaw --all --reason "done" --dry-run');
    const thawed = await run('thaw --all --reason "done"');

    expect(dry.out).not.toContain('undo');
    expect(thawed.out).toContain(
      'undo: poolkeeper freeze --pool worker --until 2026-03-02T12:01Z --context simulated --reason "..."',
    );
    expect(thawed.out).toContain(
      'undo: poolkeeper freeze --pool master --until 2026-03-02T10:01Z --required --context simulated --reason "..."',
    );
  });

  test('[C-9] hold and resume say it, too', async () => {
    const held = await run('hold --pool worker --for 2h --reason "disks"');
    const ended = await run(undoIn(held));
    const ends = poolNow().holds;
    const required = await run('hold --pool master --for 2h --required --reason "disks"');
    const resumed = await run('resume --pool worker --reason "now"');

    expect(held.out).toMatch(
      /holds it until 2026-03-02T10:01Z\.\n {2}undo: poolkeeper hold --pool worker --for 1m --context simulated --reason/,
    );
    expect([ended.status, ends]).toEqual([0, [[expect.stringMatching(/^manual\//), '2026-03-02T08:02:00.000Z']]]);
    expect(required.out).toContain(
      '  undo: poolkeeper hold --pool master --for 1m --required --context simulated --reason "..."\n',
    );
    expect(resumed).toMatchObject({
      status: 0,
      out: expect.stringContaining(
        '  undo: poolkeeper hold --pool worker --for 1m --context simulated --reason "..."\n',
      ),
    });
  });

  test('[C-9] the undo of a resume does as typed, also for a pool that upgrades wait for', async () => {
    await run('hold --pool master --for 2h --required --reason "disks"');
    const resumed = await run('resume --pool master --reason "now"');
    const undone = await run(undoIn(resumed));

    expect([undone.status, poolNow('master').paused]).toEqual([0, true]);
  });

  test.each([['--for 12h'], ['--for 10m'], ['--for 100h']])(
    '[S1-12] the undo of a resume holds the pool as long as the hold that was ended: %s',
    async (time) => {
      await run(`hold --pool worker ${time} --reason "database migration"`);
      const before = poolNow().holds;
      const resumed = await run('resume --pool worker --reason "wrong pool"');

      await run(undoIn(resumed));

      expect(poolNow().holds).toEqual(before);
    },
  );
});

describe('the undo of what replaced or stands beside an earlier one of the same person', () => {
  function undoIn({ out }: { readonly out: string }): string {
    return (/undo: (.*)/.exec(out)?.[1] ?? 'none').replace('poolkeeper ', '').replace('"..."', '"not so"');
  }

  test('[N-21] [C-9] of a freeze that moved an end is that end', async () => {
    await run('freeze --all --until 2026-03-09 --reason "end of year"');
    const moved = await run('freeze --all --for 4h --reason "mistyped"');
    const undone = await run(undoIn(moved));

    expect(undone.status).toBe(0);
    expect(poolNow().holds).toEqual([[expect.stringMatching(/^freeze\/cluster\//), '2026-03-09T00:00:00.000Z']]);
  });

  test.each([
    ['--all', '--pool worker'],
    ['--pool worker', '--all'],
  ])('[N-21] [C-9] with a freeze of %s, that of %s is no thaw, which would end both', async (first, second) => {
    await run(`freeze ${first} --until 2026-03-09 --reason "end of year"`);
    const frozen = await run(`freeze ${second} --for 4h --reason "storage migration"`);

    expect(undoIn(frozen)).toMatch(
      /^in no single command, because thaw would also end what \S+ had frozen before, until 2026-03-09T00:00Z$/,
    );
  });

  test('[S0-21] [C-9] of a hold that moved an end is that end', async () => {
    await run('hold --pool worker --for 8h --reason "database migration"');
    const moved = await run('hold --pool worker --for 2h --reason "mistyped"');
    const undone = await run(undoIn(moved));

    expect(undone.status).toBe(0);
    expect(poolNow().holds).toEqual([[expect.stringMatching(/^manual\//), '2026-03-02T16:01:00.000Z']]);
  });
});

describe('poolkeeper emergency', () => {
  test('[N-21] opens a lane with an end, closes it before, and refuses a pause that is not ours', async () => {
    await run('freeze --pool worker --for 4h --reason "why not"');
    const opened = await run('emergency --pool worker --for 1h --reason "CVE-2026-1234"');
    const lane = poolNow();
    const dry = await run('emergency --pool worker --end --dry-run');
    const closed = await run('emergency --pool worker --end');
    const none = await run('emergency --pool worker --end');
    const ended = poolNow();
    demo.world.openshift.registry.modify(
      machineConfigPools,
      { namespace: '', name: 'master' },
      (pool) => {
        pool.spec.paused = true;
      },
      { manager: 'kubectl' },
    );
    const foreign = await run('emergency --pool master --for 1h --reason "CVE-2026-1234"');

    expect(opened).toMatchObject({ status: 0, out: expect.stringContaining('everybody is told') });
    expect(lane).toMatchObject({
      paused: true,
      record: { emergency: { why: 'CVE-2026-1234', until: '2026-03-02T09:01:00.000Z' } },
    });
    expect(dry).toMatchObject({ status: 0, out: expect.stringContaining('would be closed') });
    expect(closed).toMatchObject({ status: 0, out: expect.stringContaining('is closed') });
    expect(none).toMatchObject({ status: 1, out: expect.stringContaining('has no open emergency lane') });
    expect(ended.record).not.toHaveProperty('emergency');
    expect(foreign).toMatchObject({ status: 1, out: expect.stringContaining('has paused it, not Poolkeeper') });
  });
});
