import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import { defaultDisruptionPolicy } from '../../../functions/core/machine-config/disruption-policy.ts';
import type { MachineConfigContent } from '../../../functions/core/machine-config/machine-config.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aMachineConfig, anApplication, aRecord, fakeIds } from '../../fakes/index.ts';
import { machineConfig, type Saying } from '../core/machine-config/builders.ts';
import { commitA, commitB, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version';
const ssh = '99-worker-ssh';
const rendered = '2026-03-02T09:00:00Z';
const secret = 'c2VjcmV0LW9mLXRoZS1wb29s';

/** What pool worker had rendered at nine o'clock: a template and the keys of user core. */
const before: Saying = {
  keys: ['ssh-ed25519 AAAA ada'],
  files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': 'old' },
};

interface Rendering {
  /** What the MachineConfigs 00-worker and 99-worker-ssh say now. */
  readonly template?: Saying;
  readonly keys?: Saying;
  /** What is written after nine o'clock. */
  readonly written?: readonly string[];
  readonly release?: string;
}

function content(name: string, createdAt: string, release: string, saying: Saying): MachineConfigContent {
  const spec = { osImageURL: `image-of-${release}` };
  return {
    ...machineConfig(name, { spec, ...saying, labels: {}, annotations: { [generatedBy]: release } }),
    createdAt,
  };
}

const template: Saying = { files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': 'old' } };
const keys: Saying = { keys: ['ssh-ed25519 AAAA ada'] };

/** The MCO has rendered `rendered-worker-bbb` of what the MachineConfigs say now, at five past ten. */
function renders(
  lab: KeepLab,
  { template: made = template, keys: own = keys, written = [], release = 'v1' }: Rendering,
): void {
  const { renderings, pools } = lab.world;
  renderings.setCircumstances({ policy: defaultDisruptionPolicy });
  renderings.put(
    machineConfig('00-worker', { ...made, annotations: { [generatedBy]: release } }),
    machineConfig(ssh, own),
    content('rendered-worker-aaa', rendered, 'v1', before),
    content('rendered-worker-bbb', '2026-03-02T10:05:00Z', release, {
      ...own,
      ...made,
      files: { ...made.files, ...own.files },
    }),
  );
  for (const name of ['00-worker', ssh])
    pools.putMachineConfig(
      aMachineConfig({ name, changedAt: written.includes(name) ? '2026-03-02T10:04:55Z' : '2026-03-01T00:00:00Z' }),
    );
  pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-bbb', sources: ['00-worker', ssh] },
  });
}

async function statusJson(lab: KeepLab): Promise<Status> {
  const { tables, clock } = lab.world;
  const handler = statusOf({ newId: fakeIds(), ...tables, clock: clock.now });
  const response = await handler(new Request('http://localhost/status', { headers: { accept: 'application/json' } }));
  return Status.parse(await response.json());
}

const poolIn = ({ clusters }: Status) => clusters[0]?.pools.find(({ name }) => name === 'worker');
const lines = (lab: KeepLab) =>
  lab.world.tables.timeline
    .all()
    .map(({ text }) => text)
    .join('\n');
const contents = (lab: KeepLab) => lab.world.faults.calls.filter(({ op }) => op === 'renderings.contents').length;
const causesOf = async (lab: KeepLab) => poolIn(await statusJson(lab))?.change?.causes.map(({ kind }) => kind);

/** Held by a person since ten o'clock. */
function held(lab: KeepLab): void {
  const hold = {
    id: 'manual/ada',
    kind: 'manual',
    who: 'ada',
    why: 'storage is moved',
    since: '2026-03-02T10:00:00.000Z',
    until: '2026-03-03T10:00:00.000Z',
  } as const;
  const record = { kind: 'record', record: aRecord({ holds: [hold] }) } as const;
  lab.world.pools.change('worker', 'poolkeeper', { paused: true, record });
}

describe('why a pool was rendered anew', () => {
  test.each<[string, Rendering, string, string]>([
    [
      'the pull secret',
      {
        template: { files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': secret } },
        written: ['00-worker'],
      },
      'pull-secret',
      'the global pull secret of the cluster',
    ],
    [
      'certificates',
      { template: { files: { ...template.files, '/etc/kubernetes/ca.crt': 'new' } }, written: ['00-worker'] },
      'certificates',
      'CA certificates of the cluster',
    ],
    [
      'another release',
      { template: { files: { ...template.files, '/etc/base': 'y' } }, written: ['00-worker', ssh], release: 'v2' },
      'release-image',
      'the cluster runs another release of the Machine Config Operator',
    ],
    [
      'a commit',
      { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] },
      'git',
      `MachineConfig ${ssh} of Application openshift-gitops/nodes, synced to aaaaaaaa`,
    ],
  ])('[S3-14] %s is named on the timeline, and on the status page', async (_, rendering, kind, why) => {
    const lab = keepLab();
    await lab.tick();

    renders(lab, rendering);
    await lab.tick();

    expect(await causesOf(lab)).toContain(kind);
    expect(lines(lab)).toContain(`re-rendered as rendered-worker-bbb: ${why}`);
  });

  test('[S3-14] no commit is blamed for what the cluster did itself, also when its Application was synced at the same time', async () => {
    const lab = keepLab();
    await lab.tick();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitB] } });

    renders(lab, {
      template: { files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': secret } },
      // Changed and taken back again: nothing of it is left.
      written: ['00-worker', ssh],
    });
    await lab.tick();

    expect(await causesOf(lab)).toEqual(['pull-secret']);
  });

  test('[S3-14] what a commit takes away is its doing, though nothing says it any more', async () => {
    const lab = keepLab();
    await lab.tick();

    renders(lab, { keys: {}, written: [ssh] });
    await lab.tick();

    expect(await causesOf(lab)).toEqual(['git']);
    expect(lines(lab)).toContain('user core');
  });

  test('[S3-14] of several that give kernel arguments, the one that gives a new one is named', async () => {
    const lab = keepLab();
    await lab.tick();
    const args = (...kernelArguments: readonly string[]) => ({ spec: { kernelArguments } });

    renders(lab, {
      template: { ...template, ...args('a=1') },
      keys: { ...keys, ...args('b=2', 'c=3') },
      written: ['00-worker', ssh],
    });
    lab.world.renderings.put(
      content('rendered-worker-aaa', rendered, 'v1', { ...before, ...args('a=1', 'b=2') }),
      content('rendered-worker-bbb', '2026-03-02T10:05:00Z', 'v1', { ...before, ...args('a=1', 'b=2', 'c=3') }),
    );
    await lab.tick();

    expect(await causesOf(lab)).toEqual(['git']);
    expect(lines(lab)).toContain('kernel arguments');
  });

  test.each([
    ['of two repositories', [commitA, commitB], 'aaaaaaaa and bbbbbbbb'],
    ['of a chart and a repository', ['10.12.345', commitB], '10.12.345 and bbbbbbbb'],
    ['of two folders at one commit', [commitB, commitB], 'bbbbbbbb'],
    ['of a chart alone', ['1.2.3-rc.1'], '1.2.3-rc.1'],
  ])('[S3-14] an Application %s is told with what all of its sources are synced to', async (_, revisions, told) => {
    const lab = keepLab();
    await lab.tick();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions } });

    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });
    await lab.tick();

    expect(lines(lab)).toContain(
      `re-rendered as rendered-worker-bbb: MachineConfig ${ssh} of Application openshift-gitops/nodes, synced to ${told} (`,
    );
  });

  test('[S3-14] a MachineConfig that is not as Git has it is not blamed on its commit', async () => {
    const lab = keepLab();
    await lab.tick();
    const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
    lab.world.argocd.change('nodes', { resources, sync: { status: 'OutOfSync', revisions: [commitB] } });

    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'], files: { '/etc/by-hand': 'x' } }, written: [ssh] });
    await lab.tick();

    expect(lines(lab)).toContain('an earlier commit, or a manual change');
    expect(lines(lab)).not.toContain(`synced to ${commitB}`);
  });

  describe('in the Applications of a tenant', () => {
    const theirs = (nth: number, change: Partial<Application> = {}): Application =>
      anApplication({ namespace: 'team-a', name: `theirs-${nth}`, uid: `theirs-${nth}`, ...change });
    const rotated: Rendering = { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] };
    const mark = `nodes:machineconfiguration.openshift.io/MachineConfig:openshift-gitops/${ssh}`;
    const marked: Rendering = {
      ...rotated,
      keys: { ...rotated.keys, annotations: { 'argocd.argoproj.io/tracking-id': mark } },
    };

    /** The tenant's are listed first. */
    async function besideThose(applications: readonly Application[]): Promise<KeepLab> {
      const lab = keepLab();
      const own = lab.world.argocd.get('nodes');
      lab.world.argocd.remove('nodes');
      for (const each of [...applications, own]) lab.world.argocd.put(each);
      await lab.pass(360);
      return lab;
    }

    test('[S3-14] [N-30] a claim to manage what another one has written puts no other commit in its place', async () => {
      const lab = await besideThose([theirs(1, { sync: { status: 'Synced', revisions: [commitB] } })]);

      renders(lab, marked);
      await lab.tick();

      expect(lines(lab)).toContain(`MachineConfig ${ssh} of Application openshift-gitops/nodes, synced to aaaaaaaa`);
      expect(lines(lab)).not.toContain('team-a');
    });

    test('[S3-14] [N-30] one of the name in the mark, in its own namespace, hides no commit of that in the namespace of Argo CD', async () => {
      const lab = keepLab();
      lab.world.argocd.putNamesake(theirs(1, { name: 'nodes', sync: { status: 'Synced', revisions: [commitB] } }));
      await lab.pass(360);

      renders(lab, marked);
      await lab.tick();

      expect(lines(lab)).toContain(`MachineConfig ${ssh} of Application openshift-gitops/nodes, synced to aaaaaaaa`);
      expect(lines(lab)).not.toContain('team-a');
    });

    test('[S3-14] [N-30] one of the name in the mark, in its own namespace, does not stand for that of Argo CD, which does not list it', async () => {
      const lab = await besideThose([]);
      lab.world.argocd.change('nodes', { resources: [] });
      lab.world.argocd.putNamesake(theirs(1, { name: 'nodes', sync: { status: 'Synced', revisions: [commitB] } }));
      await lab.pass(360);

      renders(lab, marked);
      await lab.tick();

      expect(lines(lab)).toContain(`MachineConfig ${ssh}, which Applications team-a/nodes and nodes both claim`);
      expect(lines(lab)).not.toContain('synced to');
    });

    test('[S3-14] [N-30] where no mark decides, all that claim it are named, and no commit', async () => {
      const lab = await besideThose([theirs(1, { sync: { status: 'Synced', revisions: [commitB] } })]);

      renders(lab, rotated);
      await lab.tick();

      expect(lines(lab)).toContain(
        `MachineConfig ${ssh}, which Applications team-a/theirs-1 and openshift-gitops/nodes both claim`,
      );
      expect(lines(lab)).not.toContain('synced to');
    });

    test('[S3-14] [N-30] forty that list nothing yet hide the one that has written it no more', async () => {
      const many = Array.from({ length: 40 }, (_, nth) => theirs(nth, { resources: [] }));
      const lab = await besideThose(many);

      renders(lab, rotated);
      await lab.tick();

      expect(await causesOf(lab)).toEqual(['git']);
      expect(lines(lab)).toContain(`of Application openshift-gitops/nodes, synced to aaaaaaaa`);
    });

    test('[S3-14] [N-30] one in a namespace that may not be read any more keeps no change from being read', async () => {
      const lab = await besideThose([theirs(1)]);
      lab.world.argocd.forbid('team-a');

      renders(lab, rotated);
      await lab.tick();

      expect(await causesOf(lab)).toEqual(['git']);
    });

    test('[S3-14] [N-30] nobody is said to have changed what Argo CD wrote, while its own namespace may not be read', async () => {
      const lab = await besideThose([]);
      const allow = lab.world.argocd.forbid('openshift-gitops');

      renders(lab, rotated);
      await lab.tick();
      const during = await causesOf(lab);
      allow();
      await lab.tick();

      expect([during, await causesOf(lab)]).toEqual([undefined, ['git']]);
      expect(lines(lab)).not.toContain('by hand');
    });

    test('[S3-14] one that is not known is named by its mark, and nobody is said to have changed it by hand', async () => {
      const lab = await besideThose([]);
      lab.world.argocd.change('nodes', {
        resources: anApplication().resources.map((each) => ({ ...each, name: 'x' })),
      });

      renders(lab, marked);
      await lab.tick();

      expect(lines(lab)).toContain(`MachineConfig ${ssh} of Application nodes, as its mark says`);
      expect(lines(lab)).not.toContain('by hand');
    });
  });

  test('[S3-14] [N-30] nobody is said to have changed what an Application brought that holds the pool and cannot be read', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.pass(360);
    const heldBy = lab.record()?.holds.map(({ id }) => id);
    const restore = lab.world.faults.failAll(['argocd.read', 'argocd.list']);

    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });
    await lab.tick();
    const during = await causesOf(lab);
    restore();
    await lab.tick();

    expect(heldBy).toEqual([nodesHold]);
    expect([during, await causesOf(lab)]).toEqual([undefined, ['git']]);
    expect(lines(lab)).not.toContain('by hand');
  });

  test('[S3-14] is told once, and read once, however long it waits', async () => {
    const lab = keepLab();
    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });

    await lab.tick();
    const read = contents(lab);
    await lab.pass(600);

    expect(read).toBeGreaterThan(0);
    expect(contents(lab)).toBe(read);
    expect(lab.told().filter((type) => type === 'pool.rendered')).toHaveLength(1);
  });

  test('[S3-14] [N-5] costs one list of nodes, where they are at rest behind a pause, when it is rendered', async () => {
    const lab = keepLab();
    held(lab);
    await lab.pass(60);
    lab.world.faults.forget();
    const lists = () => lab.world.faults.calls.filter(({ op }) => op === 'pools.nodes').length;
    const none = lists();

    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });
    await lab.pass(60);

    expect([none, lists()]).toEqual([0, 1]);
  });

  test('[S3-14] stands in the message about a rollout that nobody pushed for', async () => {
    const lab = keepLab();
    renders(lab, {
      template: { files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': secret } },
      written: ['00-worker'],
    });
    for (const name of ['worker-1', 'worker-2', 'worker-3'])
      lab.world.pools.changeNode(name, {
        desiredConfig: 'rendered-worker-bbb',
        state: 'Degraded',
        reason: 'disk full',
      });
    lab.world.pools.change('worker', 'machine-config-controller', {
      counts: { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 3 },
    });

    await lab.pass(900);

    const facts = lab.world.tables.incidents.all().flatMap(({ trouble }) => trouble?.facts ?? []);
    expect(facts.map(({ value }) => value).join('\n')).toContain(
      'rendered-worker-aaa -> rendered-worker-bbb, because of the global pull secret of the cluster',
    );
  });

  test('what cannot be read is said, and what came or went is told by its name', async () => {
    const lab = keepLab();
    const target = { name: 'rendered-worker-bbb', sources: ['00-worker', ssh, '99-worker-new'] };
    lab.world.pools.change('worker', 'machine-config-controller', { target });

    await lab.tick();

    const change = poolIn(await statusJson(lab))?.change;
    expect(change?.unread).toBe('rendered-worker-aaa does not exist');
    expect(change?.causes).toMatchObject([{ kind: 'membership' }]);
  });

  test('[S3-14] while Argo CD cannot be asked nobody is said to manage nothing: who did it is found out later', async () => {
    const lab = keepLab();
    await lab.tick();
    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });
    const restore = lab.world.faults.failAll(['argocd.read']);
    await lab.tick();
    const whileFailing = lines(lab);

    restore();
    await lab.tick();

    expect(whileFailing).not.toContain('rendered-worker-bbb');
    expect(await causesOf(lab)).toEqual(['git']);
  });

  test('[N-30] an Application that cannot be parsed hides no commit of the others', async () => {
    const lab = keepLab();
    lab.world.argocd.put(anApplication({ name: 'other', uid: 'u-other' }));
    await lab.tick();
    lab.world.argocd.spoil('other');
    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });

    await lab.tick();

    expect(await causesOf(lab)).toEqual(['git']);
  });

  test('a cluster that does not answer for it costs the pass nothing', async () => {
    const lab = keepLab();
    renders(lab, { keys: { keys: ['ssh-ed25519 BBBB ada'] }, written: [ssh] });
    const restore = lab.world.faults.failAll(['renderings.circumstances']);
    await lab.tick();
    const whileFailing = poolIn(await statusJson(lab))?.change;

    restore();
    await lab.tick();

    expect(whileFailing).toBeUndefined();
    expect(await causesOf(lab)).toEqual(['git']);
  });
});

describe('what a pause costs', () => {
  const hardening: Rendering = {
    keys: {
      keys: ['ssh-ed25519 AAAA ada'],
      files: { '/etc/ssh/sshd_config.d/10.conf': `PermitRootLogin no ${secret}` },
    },
    written: [ssh],
  };

  test('[S0-24] [N-5] the status shows what waits behind it, since when, what it concerns and when certificates expire', async () => {
    const lab = keepLab();
    held(lab);
    lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire: '2026-03-20T00:00:00.000Z' });
    renders(lab, hardening);

    await lab.tick();
    await lab.pass(3600);
    const pool = poolIn(await statusJson(lab));

    expect(pool).toMatchObject({
      pending: true,
      pendingSince: '2026-03-02T10:00:00.000Z',
      pendingSeconds: 3600,
      certificatesExpire: '2026-03-20T00:00:00.000Z',
      change: {
        class: 'reboot',
        byDefault: false,
        parts: ['file /etc/ssh/sshd_config.d/10.conf'],
        partsInAll: 1,
        security: ['sshd'],
        causes: [{ kind: 'git' }],
      },
    });
  });

  test('[S0-24] [N-5] people are told of it when it lasts', async () => {
    const lab = keepLab({ policy: { pausedAtMostSeconds: 3600 } });
    held(lab);
    lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire: '2026-03-20T00:00:00.000Z' });
    renders(lab, hardening);

    await lab.pass(2 * 3600);

    const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
    const facts = Object.fromEntries((incident?.trouble?.facts ?? []).map(({ label, value }) => [label, value]));
    expect(facts['Pending change']).toMatch(
      /^file \/etc\/ssh\/sshd_config\.d\/10\.conf; nodes are drained and reboot; concerns sshd, for 1 h 5\d min$/,
    );
    expect(facts['Config']).toContain('rendered-worker-aaa -> rendered-worker-bbb, because of MachineConfig');
    expect(facts['Certificates']).toContain('2026-03-20');
  });

  test('[N-5] a change that waits behind the pause of somebody else is told with the same', async () => {
    const lab = keepLab({ policy: { pausedAtMostSeconds: 3600 } });
    lab.world.pools.change('worker', 'ada', { paused: true });
    renders(lab, hardening);

    await lab.pass(2 * 3600);

    const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
    expect(incident?.trouble?.headline).toBe('change pending behind a pause by ada');
    expect(incident?.trouble?.facts.map(({ label }) => label)).toContain('Pending change');
  });

  test('[S0-24] the class is said to be by default where the policy is not known', async () => {
    const lab = keepLab();
    held(lab);
    renders(lab, hardening);
    lab.world.renderings.setCircumstances({ policy: undefined });

    await lab.tick();

    expect(poolIn(await statusJson(lab))?.change).toMatchObject({ class: 'reboot', byDefault: true });
  });

  test('nothing that stands in a rendered config is stored, logged or told', async () => {
    const lab = keepLab({ policy: { pausedAtMostSeconds: 600 } });
    held(lab);
    renders(lab, {
      ...hardening,
      template: { files: { '/etc/base': 'x', '/var/lib/kubelet/config.json': secret } },
      written: ['00-worker', ssh],
    });

    await lab.pass(1200);

    const { tables, bus, logger } = lab.world;
    const written = [
      tables.timeline.all(),
      await tables.views.list(),
      await tables.checkpoints.load('prod'),
      tables.incidents.all(),
      bus.published,
      logger.lines,
    ];
    const text = JSON.stringify(written);
    expect(text).toContain('/var/lib/kubelet/config.json');
    for (const form of [secret, Buffer.from(secret).toString('base64'), 'PermitRootLogin'])
      expect(text).not.toContain(form);
  });
});
