import { describe, expect, test } from 'vitest';
import { Window } from '../../functions/core/configuration/window.ts';
import { runCommand } from '../../local/cli/run-command.ts';
import { useLab } from './harness/lab.ts';
import { pool } from './harness/objects.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';

const lab = useLab();

/** A command of a person, with the administrator's own kubeconfig. */
async function run(...args: readonly string[]) {
  let text = '';
  const out = (more: string) => {
    text += `${more}\n`;
  };
  const status = await runCommand([...args, '--kubeconfig', lab.controlPlane.kubeconfig], {
    out,
    note: out,
    environment: {},
    now: () => new Date(),
  });
  return { status, text };
}

const holdsOf = async (name: string) => (await readPool(lab, name)).record?.holds.map(({ id }) => id) ?? [];

const untilPaused = (name: string, paused: boolean) =>
  until(
    async () => (await readPool(lab, name)).paused === paused,
    60_000,
    `pool ${name} to be ${paused ? 'paused' : 'resumed'}`,
  );

describe('a freeze of a real cluster', () => {
  test('[N-21] pauses what is there, covers a pool that appears later, and a thaw lets all of them go', async () => {
    await lab.create(pool({ name: 'frozen', roles: ['frozen'] }));
    const dry = await run('freeze', '--all', '--for', '2h', '--reason', 'end of year', '--dry-run');
    const untouched = await readPool(lab, 'frozen');
    const frozen = await run('freeze', '--all', '--for', '2h', '--reason', 'end of year');
    const atOnce = await readPool(lab, 'frozen');
    const product = await startProduct(lab);
    await lab.create(pool({ name: 'newcomer', roles: ['newcomer'] }));
    await product.look();
    const newcomer = await readPool(lab, 'newcomer');
    const refused = await run('resume', '--pool', 'newcomer', '--reason', 'why not');

    expect(dry).toMatchObject({ status: 0, text: expect.stringContaining('/frozen would be paused and frozen until') });
    expect(untouched).toMatchObject({ paused: false, record: undefined });
    expect(frozen).toMatchObject({ status: 0, text: expect.stringContaining('/frozen is paused; frozen until') });
    expect(atOnce).toMatchObject({
      paused: true,
      record: { pause: 'ours', holds: [{ kind: 'freeze', why: 'end of year' }] },
    });
    expect(newcomer).toMatchObject({ paused: true, record: { pause: 'ours', holds: atOnce.record?.holds } });
    expect(refused).toMatchObject({ status: 1, text: expect.stringContaining('thaw ends that') });

    const thawed = await run('thaw', '--all', '--reason', 'happy new year');
    product.ticking();
    await untilPaused('frozen', false);
    await untilPaused('newcomer', false);

    expect(thawed.status).toBe(0);
    expect(await holdsOf('frozen')).toEqual([]);
    const told = await product.untilTold('pool.resumed', 'newcomer');
    expect(told.data).toMatchObject({ why: expect.stringContaining('thawed it: happy new year') });
  });

  test('[N-21] [N-8] an emergency lets a pool go inside a deny window and a freeze, is told, and ends in the freeze', async () => {
    await lab.create(pool({ name: 'lane', roles: ['lane'] }));
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const denied = Window.parse({ kind: 'deny', from: day(-2), to: day(5) });
    const product = await startProduct(lab, {
      windows: [denied],
      targets: [
        { kind: 'outbox', name: 'others', filter: { clusters: ['other'], pools: [], severities: [], causes: [] } },
      ],
    });
    await run('freeze', '--pool', 'lane', '--for', '2h', '--reason', 'end of year');
    await run('thaw', '--pool', 'lane', '--reason', 'done');
    await product.look();
    const denies = await readPool(lab, 'lane');
    const again = await run('freeze', '--pool', 'lane', '--for', '2h', '--reason', 'end of year');

    const opened = await run('emergency', '--pool', 'lane', '--for', '1h', '--reason', 'CVE-2026-1234');
    product.ticking();
    await untilPaused('lane', false);
    const resumed = await product.untilTold('pool.resumed', 'lane');
    const emergency = await product.untilTold('emergency.opened', 'lane');
    const incident = await product.untilTold('incident.opened', 'lane');
    const during = await holdsOf('lane');
    const closed = await run('emergency', '--pool', 'lane', '--end');
    await untilPaused('lane', true);
    const ended = await product.untilTold('emergency.ended', 'lane');

    expect(denies).toMatchObject({ paused: true, record: { pause: 'ours', holds: [] } });
    expect(again.status).toBe(0);
    expect(opened).toMatchObject({ status: 0, text: expect.stringContaining('everybody is told') });
    expect(resumed.data).toMatchObject({
      why: expect.stringMatching(/passes the freeze of .*; gate window is passed in the emergency of /),
    });
    expect(emergency.data).toMatchObject({ pool: 'lane', why: 'CVE-2026-1234' });
    expect(incident.data).toMatchObject({ kind: 'emergency', severity: 'high' });
    expect(during).toEqual([expect.stringMatching(/^freeze\/pool\//)]);
    expect(closed.status).toBe(0);
    expect(ended.data).toMatchObject({ pool: 'lane', why: 'CVE-2026-1234' });
    expect((await readPool(lab, 'lane')).record).toMatchObject({ pause: 'ours', holds: [{ kind: 'freeze' }] });
    await run('thaw', '--pool', 'lane', '--reason', 'done');
  });
});
