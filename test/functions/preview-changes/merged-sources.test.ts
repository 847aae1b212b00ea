import { describe, expect, test } from 'vitest';
import type { MachineConfigContent } from '../../../functions/core/machine-config/machine-config.ts';
import type { FilesRead } from '../../../functions/core/routing/changed-file.ts';
import { liveConfig, predict } from './pull-world.ts';

const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
const ignition = { version: '3.4.0' };
const absent = { kind: 'absent' } as const;

function kubelet(dropin: string, contents: string) {
  return {
    config: { ignition, systemd: { units: [{ name: 'kubelet.service', dropins: [{ name: dropin, contents }] }] } },
  };
}

function keyOfCore(key: string) {
  return { config: { ignition, passwd: { users: [{ name: 'core', sshAuthorizedKeys: [`ssh-ed25519 ${key}`] }] } } };
}

function aFile(source: string) {
  return { config: { ignition, storage: { files: [{ path: '/etc/a', contents: { source } }] } } };
}

/** MachineConfig 50-own in the repository. */
function own(spec: object): string {
  const metadata = { name: '50-own', labels };
  return JSON.stringify({ apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', metadata, spec });
}

/** One of the cluster that is merged after it. */
function later(spec: MachineConfigContent['spec']): MachineConfigContent {
  return { ...liveConfig('99-later', [], ''), spec };
}

function changes(before: string | undefined, after: string | undefined): FilesRead {
  const [old, now] = [before, after].map((text) => (text === undefined ? absent : ({ kind: 'text', text } as const)));
  return {
    files: [{ path: 'nodes/own.json', before: old ?? absent, after: now ?? absent }],
    tools: [],
    incomplete: undefined,
  };
}

const sums = [
  ['a drop-in', kubelet('20-own.conf', 'A=b'), kubelet('90-later.conf', 'C=d')],
  ['a kernel argument', { kernelArguments: ['nosmt'] }, { kernelArguments: ['hugepages=16'] }],
  ['an extension', { extensions: ['usbguard'] }, { extensions: ['ipsec'] }],
  ['a key', keyOfCore('AAAA'), keyOfCore('BBBB')],
] as const;

describe('what is merged with that of a later MachineConfig, which only the cluster has', () => {
  test.each(sums)(
    '[N-14] [N-29] %s that is added is brought by the change, and nothing overrides it',
    async (_, mine, theirs) => {
      const { comment } = await predict({ files: changes(undefined, own(mine)), machineConfigs: [later(theirs)] });

      expect(comment).toMatch(/^`[^`]+` changed, from `50-own`(?: ⚠ security: [\w ]+)?$/m);
      expect(comment).not.toMatch(/overrid|it replaces|not in this repository/);
      expect(comment).not.toContain('99-later');
    },
  );

  test.each(sums)('[N-14] [N-29] %s that is removed is not said to be overridden', async (_, mine, theirs) => {
    const machineConfigs = [{ ...later(mine), name: '50-own' }, later(theirs)];

    const { comment } = await predict({ files: changes(own(mine), undefined), machineConfigs });

    expect(comment).toMatch(/^`[^`]+` changed, from `50-own`/m);
    expect(comment).not.toMatch(/overrid|it replaces|not in this repository/);
  });

  test('[N-14] [N-29] the same drop-in, and the content of a file, are overridden, and it is said', async () => {
    const dropin = {
      files: changes(undefined, own(kubelet('20.conf', 'A=b'))),
      machineConfigs: [later(kubelet('20.conf', 'A=c'))],
    };
    const file = { files: changes(undefined, own(aFile('data:,a'))), machineConfigs: [later(aFile('data:,b'))] };

    const comments = (await Promise.all([predict(dropin), predict(file)])).map(({ comment }) => comment);

    expect(comments[0]).toContain('unit kubelet.service of 50-own is overridden by 99-later, which is merged later');
    expect(comments[1]).toContain('file /etc/a of 50-own is overridden by 99-later, which is merged later');
  });
});

describe('what is said of a change', () => {
  test('[N-14] [N-29] what an object of the repository brings is not said to be elsewhere', async () => {
    const text = [
      'apiVersion: config.openshift.io/v1',
      'kind: ImageDigestMirrorSet',
      'metadata: {name: mirrors}',
      'spec: {imageDigestMirrors: [{source: a, mirrors: [b]}]}',
    ].join('\n');

    const { comment } = await predict({ files: changes(undefined, text) });

    expect(comment).toContain('`file /etc/containers/registries.conf`');
    expect(comment).not.toContain('not in this repository');
  });

  test('[N-14] [N-29] a hold is no news where nothing rolls out with what is pending', async () => {
    const { comment, status } = await predict({
      files: changes(undefined, own(aFile('data:,a'))),
      machineConfigs: [later(aFile('data:,b'))],
    });

    expect(status).toContain('Re-renders no pool');
    expect(comment).not.toContain('Paused now');
  });
});
