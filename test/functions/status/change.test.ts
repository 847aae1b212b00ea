import { describe, expect, test } from 'vitest';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import type { PoolView } from '../../../functions/core/timeline/view.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aPoolView, aView, fakeClock, fakeIds, fakeTables } from '../../fakes/index.ts';

const change: PendingChange = {
  from: 'rendered-worker-aaa',
  to: 'rendered-worker-bbb',
  class: 'reboot',
  isByDefault: false,
  parts: ['file /etc/ssh/sshd_config', 'kernel arguments'],
  partsInAll: 5,
  security: ['sshd'],
  causes: [{ kind: 'certificates', sources: ['00-worker'], why: 'CA certificates of the cluster' }],
};

const paused: Partial<PoolView> = {
  paused: true,
  pauseOf: 'ours',
  pausedSince: '2026-03-02T08:00:00.000Z',
  pending: true,
  pendingSince: '2026-03-02T09:00:00.000Z',
};

/** The words of the page at ten o'clock. */
async function wordsOf(pool: Partial<PoolView>): Promise<string> {
  const tables = fakeTables();
  await tables.views.save(aView({ pools: [aPoolView(pool)] }));
  const page = await statusOf({ newId: fakeIds(), ...tables, clock: fakeClock().now })(
    new Request('http://localhost/status', { headers: { accept: 'text/html' } }),
  );
  const text = (await page.text()).replace(/<style>[\s\S]*?<\/style>/, '').replace(/<[^>]+>/g, ' ');
  return text.replace(/\s+/g, ' ');
}

describe('a change on the status page', () => {
  test('[S0-24] [N-5] behind a pause: its age, what nodes will suffer, what it concerns, why it is there, and certificates', async () => {
    const words = await wordsOf({ ...paused, change, certificatesExpire: '2026-03-20T12:00:00.000Z' });

    expect(words).toContain('Pending for 1 h, since 09:00:00 UTC');
    expect(words).toContain('Nodes reboot');
    expect(words).toContain('Security sshd');
    expect(words).toContain('Contents file /etc/ssh/sshd_config, kernel arguments and 3 more');
    expect(words).toContain('Causes CA certificates of the cluster');
    expect(words).toContain('Certificates Soon the first expires in 18 days 2 h, 2026-03-20');
  });

  test('[N-9] [N-16] behind a pause: how long its rollout will take, and by what that is known', async () => {
    const takes = 'about 36 min, 63 min if slow: 3 nodes, one at a time, 12 min each, by its last 14 node rollouts';

    expect(await wordsOf({ ...paused, change, takes })).toContain(`Rollout ${takes}`);
  });

  test('[S0-24] says where the policy of the cluster is not known, and what could not be read', async () => {
    const byDefault = await wordsOf({ ...paused, change: { ...change, isByDefault: true } });
    const unread = await wordsOf({ ...paused, change: { ...change, class: undefined, unread: 'rendered-x is gone' } });

    expect(byDefault).toContain('by the default disruption policy');
    expect(unread).toContain('Contents unknown: rendered-x is gone');
  });

  test('[S3-14] that rolls over a pool names what made it, and blames no commit', async () => {
    const words = await wordsOf({ pending: true, updating: true, change });

    expect(words).toContain('worker Re-rendered');
    expect(words).toContain('Causes CA certificates of the cluster');
  });

  test('certificates that are far off, or of which nothing is said, alarm nobody', async () => {
    const far = await wordsOf({ ...paused, certificatesExpire: '2027-03-20T12:00:00.000Z' });
    const unsaid = await wordsOf(paused);

    expect(far).toContain('the first expires in 383 days');
    expect(far).not.toContain('Soon');
    expect(unsaid).not.toContain('Certificates');
  });

  test('that the pool is not paused for is shown with its reason', async () => {
    const spared = {
      hold: 'sync/hub/openshift-gitops/nodes',
      revision: 'b'.repeat(40),
      why: 'user core: the policy requires no action',
      at: '2026-03-02T09:59:00.000Z',
    };
    const words = await wordsOf({ spared: [spared] });

    expect(words).toContain('Not paused since 09:59:00 UTC');
    expect(words).toContain('The push of bbbbbbbb for openshift-gitops/nodes does not disrupt its nodes: user core');
  });

  test('cannot bring markup of its own', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const causes = [{ kind: 'git' as const, sources: [evil], why: evil }];
    const tables = fakeTables();
    const pool = aPoolView({ ...paused, change: { ...change, parts: [evil], causes, security: [evil] } });
    await tables.views.save(aView({ pools: [pool] }));

    const page = await statusOf({ newId: fakeIds(), ...tables, clock: fakeClock().now })(
      new Request('http://localhost/status', { headers: { accept: 'text/html' } }),
    );

    expect(await page.text()).not.toContain('<img');
  });
});
