import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { disruptionOfPush } from '../../../../functions/core/holds/skip-harmless/disruption-of-push.ts';
import { defaultDisruptionPolicy } from '../../../../functions/core/machine-config/disruption-policy.ts';
import { machineConfigOf } from '../../../../functions/core/machine-config/machine-config.ts';
import type { Manifest } from '../../../../functions/core/openshift/manifest.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/index.ts';
import { machineConfig, machineConfigObject, poolOf, roleKey, type Saying } from '../machine-config/builders.ts';

interface Recorded {
  readonly pool: { readonly name: string; readonly roles: readonly string[] };
  readonly machineConfigs: readonly unknown[];
  readonly sources: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
}

const folder = join(import.meta.dirname, '../machine-config/recorded');
const recorded: readonly (readonly [string, Recorded])[] = readdirSync(folder).map((file) => [
  file,
  JSON.parse(readFileSync(join(folder, file), 'utf8')),
]);

/** A MachineConfig that only adds keys of user core. */
function keysFor(role: string): Manifest {
  const { spec } = machineConfigObject('99-zz-keys', { keys: ['ssh-ed25519 AAAA ada'] });
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name: '99-zz-keys',
    labels: { [roleKey]: role },
    annotations: {},
    body: { spec },
  };
}

/** What the new keys do to the recorded pool, with the config that was rendered for it as `change` makes it. */
function harmIn(
  { pool: { name, roles }, machineConfigs, sources, spec }: Recorded,
  change: (spec: Recorded['spec']) => Recorded['spec'] = (same) => same,
) {
  const rendered = machineConfigOf({
    metadata: { name: 'rendered-a' },
    spec: { ...change(spec), osImageURL: spec['osImageURL'] || 'what the release brings' },
  });
  const target = { name: 'rendered-a', sources };
  const pool = aPool({ ...poolOf(name, ...roles), target, current: target });
  const manifests = [{ before: undefined, after: keysFor(roles[0] ?? name), files: ['keys.yaml'] }];
  return disruptionOfPush(
    { pool, change: { manifests, unknown: [] }, holds: ['sync/a'] },
    {
      sources: {
        machineConfigs: machineConfigs.flatMap((object) => machineConfigOf(object) ?? []),
        policy: defaultDisruptionPolicy,
        layeredPools: [],
        isSingleNode: false,
        choosers: seen([]),
      },
      rendered,
    },
  );
}

describe('new keys of user core', () => {
  test.each(recorded)('[S1-17] do nothing to the nodes of a pool with a recorded config: %s', (_, example) => {
    expect(harmIn(example)).toMatchObject({ kind: 'none', machineConfigs: ['99-zz-keys'] });
  });

  test.each(recorded)('[S1-17] are feared where something else was rendered than is said now: %s', (_, example) => {
    const disruption = harmIn(example, (spec) => ({ ...spec, kernelArguments: ['something=else'] }));

    expect(disruption).toEqual({
      kind: 'possible',
      why: 'the MachineConfigs and the rendered config differ in kernel arguments',
    });
  });
});

describe('MachineConfigs that are nothing together', () => {
  const [one, two] = ['50-one', '50-two'];
  const manifestOf = (name: string, saying: Saying): Manifest => {
    const { spec } = machineConfigObject(name, saying);
    return { ...keysFor(saying.role ?? 'worker'), name, body: { spec } };
  };

  function harmOf(
    now: Readonly<Record<string, Saying>>,
    rendered: Saying,
    changes: readonly (readonly [string, Saying | undefined])[],
    inGit: Readonly<Record<string, Saying>> = now,
  ) {
    const own = Object.entries(now).flatMap(([name, { role = 'worker' }]) => (role === 'worker' ? [name] : []));
    const target = { name: 'rendered-a', sources: own };
    const manifests = changes.map(([name, after]) => ({
      before: inGit[name] && manifestOf(name, inGit[name]),
      after: after && manifestOf(name, after),
      files: [`${name}.yaml`],
    }));
    return disruptionOfPush(
      {
        pool: aPool({ ...poolOf('worker', 'worker'), target, current: target }),
        change: { manifests, unknown: [] },
        holds: ['sync/a', 'sync/b'],
      },
      {
        sources: {
          machineConfigs: Object.entries(now).map(([name, saying]) => machineConfig(name, saying)),
          policy: defaultDisruptionPolicy,
          layeredPools: [],
          isSingleNode: false,
          choosers: seen([]),
        },
        rendered: machineConfig('rendered-a', {
          labels: {},
          ...rendered,
          spec: { ...rendered.spec, osImageURL: 'what the release brings' },
        }),
      },
    );
  }

  test('[S1-17] [N-30] are feared where one of them may be synced without the other', () => {
    const now = { [one]: { files: { '/etc/x': 'good' } }, [two]: { files: { '/etc/two': 'x' } } };
    const rendered = { files: { '/etc/x': 'good', '/etc/two': 'x' } };

    const harm = harmOf(now, rendered, [
      [one, { files: { '/etc/x': 'evil' } }],
      [two, { files: { '/etc/two': 'x', '/etc/x': 'good' } }],
    ]);

    expect(harm).toEqual({
      kind: 'possible',
      why: 'file /etc/x is nothing only while other MachineConfigs set the same',
    });
  });

  test('[S1-17] [N-29] are feared where one has another name, and the former one may not be pruned', () => {
    const saying = { spec: { kernelArguments: ['nosmt'] } };

    expect(
      harmOf({ [one]: saying }, saying, [
        [one, undefined],
        [two, saying],
      ]),
    ).toMatchObject({ kind: 'possible' });
  });

  const good = { files: { '/etc/x': 'good' } };
  const keys = { keys: ['ssh-ed25519 AAAA ada'] };

  test.each<[string, readonly [string, Saying | undefined]]>([
    ['what another one overrides', [one, { files: { '/etc/x': 'evil' } }]],
    ['what another one sets as well', [two, {}]],
    ['the labels of what another one sets as well', [two, { ...good, role: 'unused' }]],
  ])('[S1-17] [N-30] are feared where a push changes %s, which may change before its sync', (_, change) => {
    const harm = harmOf({ [one]: good, [two]: good }, good, [change]);

    expect(harm).toEqual({
      kind: 'possible',
      why: 'file /etc/x is nothing only while other MachineConfigs set the same',
    });
  });

  test('[S1-17] [N-30] are feared where an earlier push to them was not synced', () => {
    const now = { [one]: good, [two]: { files: { '/etc/two': 'x' } } };
    const rendered = { files: { '/etc/x': 'good', '/etc/two': 'x' } };
    const inGit = { [one]: { files: { '/etc/x': 'evil' } }, [two]: rendered };

    const harm = harmOf(
      now,
      rendered,
      [
        [one, { ...inGit[one], ...keys }],
        [two, { ...inGit[two], ...keys }],
      ],
      inGit,
    );

    expect(harm).toMatchObject({ kind: 'possible' });
  });

  test('[S1-17] are nothing with labels that only the cluster has, as those by which Argo CD tracks it', () => {
    const tracked = { ...good, labels: { [roleKey]: 'worker', 'app.kubernetes.io/instance': 'nodes' } };

    const harm = harmOf({ [one]: tracked }, good, [[one, { ...good, ...keys }]], { [one]: good });

    expect(harm).toMatchObject({ kind: 'none' });
  });

  test('[S1-17] are nothing beside one of another pool, whatever that does there', () => {
    const ofMaster = { role: 'master', spec: { kernelArguments: ['a'] } };
    const changed = { ...ofMaster, spec: { kernelArguments: ['a', 'b'] } };

    const harm = harmOf({ [one]: {}, '99-master': ofMaster }, {}, [
      [one, keys],
      ['99-master', changed],
    ]);

    expect(harm).toMatchObject({ kind: 'none' });
  });

  test('[S1-17] are nothing if each of them is nothing', () => {
    const now = { [one]: {}, [two]: {} };

    const harm = harmOf(now, {}, [
      [one, { keys: ['ssh-ed25519 AAAA ada'] }],
      [two, { keys: ['ssh-ed25519 BBBB bob'] }],
    ]);

    expect(harm).toMatchObject({ kind: 'none', machineConfigs: [one, two] });
  });
});
