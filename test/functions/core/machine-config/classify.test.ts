import { describe, expect, test } from 'vitest';
import { classOfChange } from '../../../../functions/core/machine-config/class-of-change.ts';
import { type Circumstances, classify, rank } from '../../../../functions/core/machine-config/classify.ts';
import { compareRendered } from '../../../../functions/core/machine-config/compare-rendered.ts';
import { disruptionClasses } from '../../../../functions/core/machine-config/disruption.ts';
import {
  type DisruptionPolicy,
  defaultDisruptionPolicy,
  disruptionPolicyOf,
  fileActions,
} from '../../../../functions/core/machine-config/disruption-policy.ts';
import { changedFacets } from '../../../../functions/core/machine-config/facet-change.ts';
import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import { fc } from '../../../property.ts';
import { dataUrl, machineConfig, poolOf, type Saying } from './builders.ts';
import { renderPool } from './render-pool.ts';

/** What a pool suffers when a MachineConfig says this instead of that. */
function classOf(before: Saying | undefined, after: Saying | undefined, circumstances: Circumstances = {}) {
  const sides = [before, after].map((saying) => (saying === undefined ? [] : [machineConfig('50-x', saying)]));
  const [old, now] = sides.map((configs) => renderPool(poolOf('worker'), configs).facets);
  return classify(changedFacets(old ?? new Map(), now ?? new Map()), circumstances);
}

const file = (path: string, text = 'x'): Saying => ({ files: { [path]: text } });

const contents = (more: object): Saying => ({ files: { '/etc/a': { contents: { source: 'data:,x', ...more } } } });
const unit = (more: object): Saying => ({ units: { 'a.service': { enabled: true, ...more } } });
const core = (more: object): Saying => ({ spec: { config: { passwd: { users: [{ name: 'core', ...more }] } } } });

describe('an empty text', () => {
  test.each<readonly [string, Saying, Saying, string]>([
    ['of a compression, as Butane writes it', contents({}), contents({ compression: '' }), 'reboot'],
    ['of a source', { files: { '/etc/a': {} } }, { files: { '/etc/a': { contents: { source: '' } } } }, 'reboot'],
    ['of the name of a user', { files: { '/etc/a': {} } }, { files: { '/etc/a': { user: { name: '' } } } }, 'reboot'],
    ['of the contents of a unit', unit({}), unit({ contents: '' }), 'reboot'],
    [
      'of the contents of a drop-in',
      unit({ dropins: [{ name: '1.conf' }] }),
      unit({ dropins: [{ name: '1.conf', contents: '' }] }),
      'reboot',
    ],
    ['of the home of user core', core({}), core({ homeDir: '' }), 'reboot'],
  ])('[S1-17] %s is written into the render, so nodes change', (_, before, after, expected) => {
    expect(classOf(before, after).class).toBe(expected);
    expect(classOf(after, before).class).toBe(expected);
  });

  test.each<readonly [string, Saying, Saying]>([
    ['a compression', contents({}), contents({ compression: '' })],
    ['the contents of a unit', unit({}), unit({ contents: '' })],
  ])('[S1-17] of %s is none in Ignition 2, which is converted', (_, before, after) => {
    const [old, now] = [before, after].map((saying) => ({ ...saying, version: '2.2.0' }));

    expect(classOf(old, now).class).toBe('none');
  });

  test.each<readonly [string, Saying]>([
    ['the kernel type', { spec: { kernelType: '' } }],
    ['the OS image', { spec: { osImageURL: '' } }],
    ['the extensions image', { spec: { baseOSExtensionsContainerImage: '' } }],
  ])('[S1-17] of %s is none: a field of the MachineConfig itself', (_, saying) => {
    expect(classOf({}, saying).class).toBe('none');
  });
});

describe('the disruption of a change', () => {
  test.each<readonly [string, Saying | undefined, Saying | undefined, string]>([
    ['nothing differs', file('/etc/a'), file('/etc/a'), 'none'],
    ['a file', undefined, file('/etc/chrony.conf'), 'reboot'],
    ['a file that goes', file('/etc/chrony.conf'), undefined, 'reboot'],
    ['the mode of a file', { files: { '/etc/a': { mode: 420 } } }, { files: { '/etc/a': { mode: 384 } } }, 'reboot'],
    ['a unit', undefined, { units: { 'a.service': '[Service]' } }, 'reboot'],
    ['authorized keys', { keys: ['ssh-ed25519 AAAA a'] }, { keys: ['ssh-ed25519 BBBB b'] }, 'none'],
    ['the pull secret', file('/var/lib/kubelet/config.json', '1'), file('/var/lib/kubelet/config.json', '2'), 'none'],
    ['a file of nmstate', undefined, file('/etc/nmstate/openshift/br.yml'), 'none'],
    ['a file beside that folder', undefined, file('/etc/nmstate/openshift-2/br.yml'), 'reboot'],
    ['the signature policy', file('/etc/containers/policy.json', '1'), file('/etc/containers/policy.json'), 'reload'],
    ['a lookaside of signatures', undefined, file('/etc/containers/registries.d/a.yaml'), 'reload'],
    [
      'the user CA bundle',
      undefined,
      file('/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt'),
      'restart',
    ],
    ['kernel arguments', undefined, { spec: { kernelArguments: ['a=1'] } }, 'reboot'],
    ['their order', { spec: { kernelArguments: ['a', 'b'] } }, { spec: { kernelArguments: ['b', 'a'] } }, 'reboot'],
    ['an extension', undefined, { spec: { extensions: ['usbguard'] } }, 'reboot'],
    ['the kernel type', undefined, { spec: { kernelType: 'realtime' } }, 'reboot'],
    ['the default kernel type, said', undefined, { spec: { kernelType: 'default' } }, 'none'],
    ['the OS image', undefined, { spec: { osImageURL: 'image' } }, 'reboot'],
    ['FIPS mode', undefined, { spec: { fips: true } }, 'reboot'],
    ['a section that is not known', undefined, { spec: { somethingNew: { a: 1 } } }, 'reboot'],
    ['disks', undefined, { spec: { config: { storage: { disks: [{ device: '/dev/sda' }] } } } }, 'reboot'],
    ['another user', undefined, { spec: { config: { passwd: { users: [{ name: 'root' }] } } } }, 'reboot'],
    [
      'more of user core than keys',
      { keys: ['k'] },
      { spec: { config: { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['k'], shell: '/bin/sh' }] } } } },
      'reboot',
    ],
    ['only the version of Ignition', { version: '3.2.0' }, { version: '3.4.0' }, 'none'],
    [
      'only the encoding',
      { files: { '/etc/a': { contents: { source: 'data:,x' } } } },
      { files: { '/etc/a': { contents: { source: 'data:;base64,eA==' } } } },
      'reboot',
    ],
  ])('[S1-17] %s', (_, before, after, expected) => {
    const disruption = classOf(before, after);

    expect(disruption.class).toBe(expected);
  });

  test('[S1-17] the worst of several counts, and each has its reason and its source', () => {
    const disruption = classOf(undefined, {
      files: { '/etc/containers/policy.json': '1', '/etc/a': '2' },
      keys: ['k'],
    });

    expect(disruption.class).toBe('reboot');
    expect(disruption.reasons.map((reason) => [reason.what, reason.class, reason.source])).toEqual([
      ['file /etc/a', 'reboot', '50-x'],
      ['file /etc/containers/policy.json', 'reload', '50-x'],
      ['user core', 'none', '50-x'],
    ]);
  });

  test('[S1-17] in a pool of images built on the cluster every difference is a reboot', () => {
    expect(classOf(undefined, { keys: ['k'] }, { isLayered: true }).class).toBe('reboot');
  });

  test('[S1-17] a single node is never drained, but reboots like any other', () => {
    const policy: DisruptionPolicy = {
      ...defaultDisruptionPolicy,
      files: [{ path: '/etc/a', actions: [{ type: 'Drain', service: '' }] }],
    };

    expect(classOf(undefined, file('/etc/a'), { policy }).class).toBe('drain');
    expect(classOf(undefined, file('/etc/a'), { policy, isSingleNode: true }).class).toBe('reload');
    expect(classOf(undefined, file('/etc/b'), { policy, isSingleNode: true }).class).toBe('reboot');
    expect(classOf(undefined, file('/etc/containers/registries.conf'), { isSingleNode: true }).class).toBe('reload');
  });
});

describe('the policy of a cluster', () => {
  const status = {
    files: [
      { path: '/etc/app', actions: [{ type: 'Restart', restart: { serviceName: 'app.service' } }] },
      { path: '/etc/app/quiet', actions: [{ type: 'None' }] },
      { path: '/etc/new', actions: [{ type: 'Hibernate' }] },
      { path: '/etc/empty', actions: [] },
    ],
    units: [
      {
        name: 'app.service',
        actions: [{ type: 'DaemonReload' }, { type: 'Reload', reload: { serviceName: 'b.service' } }],
      },
    ],
    sshkey: { actions: [{ type: 'Reboot' }] },
  };
  const policy = disruptionPolicyOf({
    metadata: { generation: 4 },
    status: { observedGeneration: 4, nodeDisruptionPolicyStatus: { clusterPolicies: status } },
  });

  test.each<readonly [string, Saying, string]>([
    ['a folder counts for what is below it', file('/etc/app/a/b'), 'restart'],
    ['the longest path counts', file('/etc/app/quiet/a'), 'none'],
    ['a name that only starts alike is another', file('/etc/application'), 'reboot'],
    ['dots lead out of a folder', file('/etc/app/../shadow'), 'reboot'],
    ['an action that is not known is a reboot', file('/etc/new'), 'reboot'],
    ['no action is a reboot', file('/etc/empty'), 'reboot'],
    ['a unit by its name', { units: { 'app.service': 'x' } }, 'reload'],
    ['another unit', { units: { 'app2.service': 'x' } }, 'reboot'],
    ['keys by their own policy', { keys: ['k'] }, 'reboot'],
    ['what the cluster no longer lists is a reboot', file('/etc/containers/policy.json'), 'reboot'],
  ])('[S1-17] %s', (_, saying, expected) => {
    expect(policy).toBeDefined();
    expect(classOf(undefined, saying, { policy }).class).toBe(expected);
  });

  test('[S1-17] is not known while it lags behind its spec, or is none', () => {
    const lagging = {
      metadata: { generation: 5 },
      status: { observedGeneration: 4, nodeDisruptionPolicyStatus: { clusterPolicies: status } },
    };

    expect(disruptionPolicyOf(lagging)).toBeUndefined();
    expect(disruptionPolicyOf({ status: {} })).toBeUndefined();
    expect(disruptionPolicyOf(undefined)).toBeUndefined();
  });

  test.each(['/', '//', '/.', '/etc/..'])('[S1-17] [N-29] the root as a path, as %s, speaks for no file', (path) => {
    const actions = [{ type: 'None', service: '' }];

    expect(fileActions({ files: [{ path, actions }], units: [], sshkey: [] }, '/etc/a')).toBeUndefined();
  });
});

describe('registries.conf', () => {
  const path = '/etc/containers/registries.conf';
  const base = 'unqualified-search-registries = ["a.example.com"]\nshort-name-mode = ""\n';
  const registry = (location: string, mirrors: readonly string[], extra = '') =>
    `[[registry]]\n  prefix = ""\n  location = "${location}"\n${extra}${mirrors.map((mirror) => `\n  [[registry.mirror]]\n    location = "${mirror}"\n    pull-from-mirror = "digest-only"\n`).join('')}`;
  const one = registry('quay.example.com/a', ['mirror.example.com/a']);
  const tagMirror = '\n  [[registry.mirror]]\n    location = "m.example.com"\n    pull-from-mirror = "tag-only"\n';

  test.each([
    [
      'a registry whose mirrors serve by digest comes',
      base + one,
      base + one + registry('quay.example.com/b', ['m']),
      'reload',
    ],
    [
      'a mirror that serves by digest comes',
      base + one,
      base + registry('quay.example.com/a', ['mirror.example.com/a', 'm2']),
      'reload',
    ],
    ['a comment comes', base + one, `# why\n${base}${one}`, 'reload'],
    ['a search registry comes last', base, base.replace(']', ', "b.example.com"]'), 'reload'],
    ['a search registry comes first', base, base.replace('[', '["b.example.com", '), 'drain'],
    ['a mirror goes', base + one, base + registry('quay.example.com/a', []), 'drain'],
    ['a registry goes', base + one, base, 'drain'],
    ['a mirror serves tags', base + one, base + one + tagMirror, 'drain'],
    ['a registry without mirrors comes', base, base + registry('x.example.com', []), 'drain'],
    [
      'a registry is blocked',
      base + one,
      base + registry('quay.example.com/a', ['mirror.example.com/a'], '  blocked = true\n'),
      'drain',
    ],
    [
      'it is insecure',
      base + one,
      base + registry('quay.example.com/a', ['mirror.example.com/a'], '  insecure = true\n'),
      'drain',
    ],
    ['something stands there that is not known', base, `${base}[aliases]\n"a" = "b"\n`, 'drain'],
    ['it is no TOML', base, `${base}\u0000((`, 'drain'],
  ])('[S1-17] %s', (_, before, after, expected) => {
    expect(classOf(file(path, before), file(path, after)).class).toBe(expected);
  });

  test('[S1-17] is drained for when it comes, goes or cannot be decoded', () => {
    const broken: Saying = { files: { [path]: { contents: { source: 'data:;base64,%%%' } } } };

    expect(classOf(undefined, file(path, base)).class).toBe('drain');
    expect(classOf(file(path, base), undefined).class).toBe('drain');
    expect(classOf(file(path, base), broken).class).toBe('drain');
  });
});

describe('the class from the two sides of one MachineConfig', () => {
  const path = fc.constantFrom(
    '/etc/a',
    '/etc/containers/policy.json',
    '/etc/containers/registries.conf',
    '/etc/nmstate/openshift/x',
    '/var/lib/kubelet/config.json',
  );
  const registries = fc.constantFrom(
    '',
    '[[registry]]\nlocation = "a"\n[[registry.mirror]]\nlocation = "m"\npull-from-mirror = "digest-only"\n',
    '[[registry]]\nlocation = "b"\n',
  );
  const entry = fc.record(
    {
      mode: fc.constantFrom(420, 384),
      contents: fc.record(
        { source: registries.map(dataUrl), compression: fc.constantFrom('', 'gzip') },
        { requiredKeys: [] },
      ),
      append: fc.constantFrom([], [{ source: 'data:,x' }]),
    },
    { requiredKeys: [] },
  );
  const saying = fc.record(
    {
      role: fc.constantFrom('worker', 'infra'),
      files: fc.dictionary(path, entry, { maxKeys: 3 }),
      units: fc.dictionary(fc.constantFrom('a.service', 'b.service'), fc.constantFrom('x', 'y'), { maxKeys: 2 }),
      keys: fc.array(fc.constantFrom('k1', 'k2'), { maxLength: 2 }),
      spec: fc.record(
        {
          kernelArguments: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
          kernelType: fc.constantFrom('', 'default', 'realtime'),
          fips: fc.boolean(),
          osImageURL: fc.constantFrom('', 'i', 'j'),
          odd: fc.constantFrom(undefined, 1, { a: 1 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  const policy: DisruptionPolicy = {
    ...defaultDisruptionPolicy,
    units: [{ name: 'a.service', actions: [{ type: 'Restart', service: 'a.service' }] }],
  };

  test('[S1-17] is never lower than the class from the rendered configs, whatever else is merged', () => {
    const others = fc.array(saying, { maxLength: 4 });

    fc.assert(
      fc.property(
        fc.option(saying, { nil: undefined }),
        fc.option(saying, { nil: undefined }),
        others,
        fc.boolean(),
        (before, after, rest, isSingleNode) => {
          const circumstances = { policy, isSingleNode };
          const base = rest.map((each, index) => machineConfig(`${index * 20}-other`, each));
          const [old, now] = [before, after].map((each) =>
            each === undefined ? undefined : machineConfig('50-x', each),
          );
          for (const pool of [poolOf('worker'), poolOf('infra', 'worker', 'infra')]) {
            const rendered = (config: MachineConfigContent | undefined) =>
              renderPool(pool, config === undefined ? base : [...base, config]).facets;

            const exact = classify(changedFacets(rendered(old), rendered(now)), circumstances);
            const bound = classOfChange({ before: old, after: now }, circumstances);

            expect(rank(bound.class)).toBeGreaterThanOrEqual(rank(exact.class));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('[S1-17] is nothing where only metadata differs, and everything where the role does', () => {
    const keys = { keys: ['k'], files: { '/etc/a': 'x' } };
    const before = machineConfig('50-x', keys);

    const annotated = machineConfig('50-x', { ...keys, annotations: { why: 'because' } });
    const moved = machineConfig('50-x', { ...keys, role: 'infra' });

    expect(classOfChange({ before, after: annotated })).toEqual({ class: 'none', reasons: [] });
    expect(classOfChange({ before, after: moved }).class).toBe('reboot');
  });
});

describe('two rendered configs', () => {
  test.each<readonly [string, Saying, Saying, string]>([
    ['an OS update', { spec: { osImageURL: 'a' } }, { spec: { osImageURL: 'b' } }, 'os'],
    ['a change of files', { spec: { osImageURL: 'a' } }, { ...file('/etc/a'), spec: { osImageURL: 'a' } }, 'files'],
    ['both', { spec: { osImageURL: 'a' } }, { ...file('/etc/a'), spec: { osImageURL: 'b' } }, 'os-and-files'],
    ['another hash of the same content', { spec: { osImageURL: 'a' } }, { spec: { osImageURL: 'a' } }, 'nothing'],
  ])('[S3-7] an OS update is told from a change of files: %s', (_, before, after, expected) => {
    const between = compareRendered(
      machineConfig('rendered-worker-a', before),
      machineConfig('rendered-worker-b', after),
    );

    expect(between.update).toBe(expected);
    expect(disruptionClasses).toContain(between.class);
  });
});
