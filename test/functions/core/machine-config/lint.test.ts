import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { changeLimits } from '../../../../functions/core/machine-config/lint/change-texts.ts';
import { changeLint } from '../../../../functions/core/machine-config/lint/lint-change.ts';
import { lintMachineConfig } from '../../../../functions/core/machine-config/lint/lint-machine-config.ts';
import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import { machineConfig, roleKey, type Saying } from './builders.ts';

function codes(saying: Saying, name = '50-x'): readonly string[] {
  return lintMachineConfig(machineConfig(name, saying)).map(({ code }) => code);
}

/** The builder copies what it is given. */
function withGetters(name: string, files: Readonly<Record<string, object>>): MachineConfigContent {
  const entries = Object.entries(files).map(([path, file]) => ({ path, ...file }));
  const config = { ignition: { version: '3.2.0' }, storage: { files: entries } };
  return { ...machineConfig(name), spec: { config } };
}

const unit = (text: string) => `[Service]\n${text}\n[Install]\nWantedBy=multi-user.target\n`;

describe('the lint of a MachineConfig', () => {
  test('[S1-16] finds nothing in one that is as it should be', () => {
    const saying: Saying = {
      files: {
        '/etc/chrony.conf': 'server ntp.example.com iburst\n',
        '/usr/local/bin/setup.sh': { mode: 493, contents: { source: 'data:,%23!/bin/sh%0Atrue%0A' } },
      },
      units: { 'setup.service': unit('ExecStart=/usr/local/bin/setup.sh') },
      keys: ['ssh-ed25519 AAAA ops@example.com'],
      spec: { kernelArguments: ['nosmt'], extensions: ['usbguard'] },
    };

    expect(lintMachineConfig(machineConfig('50-worker-setup', saying))).toEqual([]);
  });

  test.each<readonly [string, Saying, string]>([
    ['a legacy Ignition spec', { version: '2.2.0' }, 'ignition-legacy'],
    ['an Ignition spec that no MCO reads', { version: '4.0.0' }, 'ignition-unknown'],
    ['none', { version: '' }, 'ignition-unknown'],
    ['disks', section('storage', { disks: [{ device: '/dev/sda' }] }), 'unsupported-section'],
    ['filesystems', section('storage', { filesystems: [{ device: '/dev/sda' }] }), 'unsupported-section'],
    ['raid', section('storage', { raid: [{ name: 'a' }] }), 'unsupported-section'],
    ['luks', section('storage', { luks: [{ name: 'a' }] }), 'unsupported-section'],
    ['directories', section('storage', { directories: [{ path: '/etc/a' }] }), 'unsupported-section'],
    ['links', section('storage', { links: [{ path: '/etc/a' }] }), 'unsupported-section'],
    ['groups', section('passwd', { groups: [{ name: 'a' }] }), 'unsupported-section'],
    ['another user', section('passwd', { users: [{ name: 'root' }] }), 'unsupported-section'],
    ['more of core', section('passwd', { users: [{ name: 'core', shell: '/bin/sh' }] }), 'unsupported-section'],
    [
      'kernel arguments of Ignition',
      { spec: { config: { ignition: { version: '3.3.0' }, kernelArguments: { shouldExist: ['a'] } } } },
      'unsupported-section',
    ],
    ['a file that is appended to', { files: { '/etc/a': { append: [{ source: 'data:,x' }] } } }, 'unsupported-section'],
    [
      'a script that nothing runs',
      { files: { '/usr/local/bin/a.sh': { mode: 493, contents: { source: 'data:,%23!/bin/sh' } } } },
      'script-not-run',
    ],
    ['SELinux off by the kernel', { spec: { kernelArguments: ['selinux=0'] } }, 'selinux-weakened'],
    ['SELinux off beside another argument', { spec: { kernelArguments: ['quiet selinux=0'] } }, 'selinux-weakened'],
    [
      'a Quadlet without labels',
      { files: { '/etc/containers/systemd/a.container': '[Container]\nSecurityLabelDisable=true\n' } },
      'selinux-weakened',
    ],
    [
      'the force file by tmpfiles',
      { files: { '/etc/tmpfiles.d/a.conf': 'f /run/machine-config-daemon-force 0644 root root -\n' } },
      'path-not-allowed',
    ],
    ['the force file below /var/run', { files: { '/var/run/machine-config-daemon-force': '' } }, 'path-not-allowed'],
    ['a mode that the MCO refuses', { files: { '/usr/local/bin/a': { mode: 0o4755 } } }, 'mode-invalid'],
    ['SELinux permissive by the kernel', { spec: { kernelArguments: ['enforcing=0'] } }, 'selinux-weakened'],
    [
      'SELinux permissive by its file',
      { files: { '/etc/selinux/config': 'SELINUX=permissive\n' } },
      'selinux-weakened',
    ],
    [
      'SELinux permissive by its file, in quotes',
      { files: { '/etc/selinux/config': 'SELINUX="permissive"\n' } },
      'selinux-weakened',
    ],
    [
      'SELinux permissive by a unit',
      { units: { 'a.service': unit('ExecStart=/usr/sbin/setenforce 0') } },
      'selinux-weakened',
    ],
    ['an OS image of its own', { spec: { osImageURL: 'quay.example.com/a' } }, 'os-image-override'],
    ['a path below /usr', { files: { '/usr/bin/a': 'x' } }, 'path-not-allowed'],
    ['a path that is gone after a reboot', { files: { '/run/a': 'x' } }, 'path-not-allowed'],
    ['the force file', { files: { '/run/machine-config-daemon-force': '' } }, 'path-not-allowed'],
    ['a file that the MCO writes', { files: { '/etc/kubernetes/kubelet.conf': 'x' } }, 'path-not-allowed'],
    ['a path with dots', { files: { '/etc/../a': 'x' } }, 'path-not-allowed'],
    ['a relative path', { files: { 'etc/a': 'x' } }, 'path-not-allowed'],
    ['a kernel type that is not known', { spec: { kernelType: 'fast' } }, 'kernel-type'],
    ['the realtime kernel', { spec: { kernelType: 'realtime' } }, 'kernel-type'],
    ['an extension that is not known', { spec: { extensions: ['emacs'] } }, 'extension-unknown'],
    ['FIPS mode', { spec: { fips: true } }, 'fips-change'],
    ['several arguments in one', { spec: { kernelArguments: ['a=1 b=2'] } }, 'kernel-argument-space'],
    ['644 for 0644', { files: { '/etc/a': { mode: 644, contents: { source: 'data:,' } } } }, 'mode-decimal'],
    ['a mode that is too large', { files: { '/etc/a': { mode: 100644 } } }, 'mode-invalid'],
    ['a mode in quotes', { files: { '/etc/a': { mode: '0644' } } }, 'mode-invalid'],
    ['a file that everybody may write', { files: { '/etc/a': { mode: 438 } } }, 'world-writable'],
    ['a remote source', { files: { '/etc/a': { contents: { source: 'https://example.com/a' } } } }, 'remote-source'],
    [
      'content that cannot be decoded',
      { files: { '/etc/a': { contents: { source: 'data:;base64,*' } } } },
      'content-unreadable',
    ],
    ['the same file twice', section('storage', { files: [{ path: '/etc/a' }, { path: '/etc/a' }] }), 'duplicate-entry'],
    ['a unit that is not enabled', { units: { 'a.service': { contents: unit('x') } } }, 'unit-not-enabled'],
    ['a unit enabled for nothing', { units: { 'a.service': '[Service]\nExecStart=/bin/true\n' } }, 'unit-not-enabled'],
    ['a password', section('passwd', { users: [{ name: 'core', passwordHash: '$6$a$b' }] }), 'secret-in-git'],
    ['a private key', { files: { '/etc/a.pem': '-----BEGIN PRIVATE KEY-----\nx' } }, 'secret-in-git'],
    ['a private key of GPG', { files: { '/etc/a.pub': '-----BEGIN PGP PRIVATE KEY BLOCK-----\nx' } }, 'secret-in-git'],
    [
      'one behind a public one',
      { files: { '/etc/a.pub': '-----BEGIN PGP PUBLIC KEY BLOCK-----\nx\n-----BEGIN PGP PRIVATE KEY BLOCK-----\nx' } },
      'secret-in-git',
    ],
    ['keys of NTP', { files: { '/etc/chrony.keys': '1 SHA1 ASCII:word\n' } }, 'secret-in-git'],
    ['such keys without a sign', { files: { '/etc/ntp/keys': '1 M word\n' } }, 'secret-in-git'],
    ['no role', { labels: {} }, 'role-missing'],
  ])('[S1-16] finds %s', (_, saying, code) => {
    expect(codes(saying)).toContain(code);
  });

  test.each([
    ['worker-chrony', 'name-order'],
    ['100-worker', 'name-order'],
    ['9-worker', 'name-order'],
    ['00-worker', 'name-of-the-operator'],
    ['01-worker-kubelet', 'name-of-the-operator'],
    ['99-worker-generated-kubelet', 'name-of-the-operator'],
  ])('[S1-16] finds the name %s', (name, code) => {
    expect(codes({}, name)).toContain(code);
  });

  test('[S1-16] a public key of GPG is no secret', () => {
    const text = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINBFrPlw=\n-----END PGP PUBLIC KEY BLOCK-----\n';

    expect(codes({ files: { '/etc/machine-config-daemon/no-reboot/containers-gpg.pub': text } })).toEqual([]);
  });

  test('[S1-16] a name that only begins as one of the operator is none of it, and rules about passwords are no secret', () => {
    const files = { '/etc/audit/rules.d/75-etcpasswd.rules': '-k a=b\n', '/etc/pam.d/password-auth': 'auth a=b\n' };

    expect(codes({ files }, '01-worker-custom')).toEqual([]);
  });

  test('[S1-16] 420, 384 and 493 are modes that were meant', () => {
    const modes = [420, 384, 493, 256, 292, 448, 416].map((mode) => codes({ files: { '/etc/a': { mode } } }));

    expect(modes.flat().filter((code) => code.startsWith('mode-'))).toEqual([]);
  });

  test('[S1-16] a script that a unit of another MachineConfig, or a dispatcher, runs is run', () => {
    const script: Saying = {
      files: { '/usr/local/bin/a.sh': { mode: 493, contents: { source: 'data:,%23!/bin/sh' } } },
    };
    const other = machineConfig('60-unit', { units: { 'a.service': unit('ExecStart=/usr/local/bin/a.sh') } });
    const dispatched: Saying = {
      files: { '/etc/NetworkManager/dispatcher.d/99-a': { mode: 493, contents: { source: 'data:,%23!/bin/sh' } } },
    };

    const found = lintMachineConfig(machineConfig('50-x', script), { others: [other] });

    expect(found.map(({ code }) => code)).not.toContain('script-not-run');
    expect(codes(dispatched)).not.toContain('script-not-run');
  });

  test('[S1-16] [N-30] hundreds of scripts are not each searched for in all that a change brings besides', () => {
    const script = { mode: 493, contents: { source: 'data:,%23!/bin/sh' } };
    const large = { mode: 420, contents: { source: `data:,${'x'.repeat(100_000)}` } };
    const all = Array.from({ length: 10 }, (_, index) => {
      const scripts = Array.from({ length: 50 }, (_each, at) => [`/usr/local/bin/${index}-${at}.sh`, script]);
      return machineConfig(`50-${index}`, { files: Object.fromEntries([...scripts, [`/etc/large-${index}`, large]]) });
    });

    const found = changeLint().warningsOf(all, undefined);

    // 50 scripts in 1 MB for each.
    expect(found.filter(({ text }) => text.includes('-0.sh is a script'))).toHaveLength(3);
    expect(found.filter(({ code }) => code === 'not-looked-at').map(({ text }) => text)).toEqual(
      [3, 4, 5, 6, 7, 8, 9].map(
        (index) => `MachineConfig 50-${index}: whether anything runs its 50 scripts was not looked at`,
      ),
    );
  });

  test('[S1-16] [N-30] all that clusters get of a change is read once, within one bound, and what is left is told', () => {
    const reads = { count: 0 };
    const file = (text: string) => ({
      mode: 493,
      contents: {
        get source() {
          reads.count += 1;
          return `data:,${encodeURIComponent(`#!/bin/sh\n${text}\n`).padEnd(1_000, 'x')}`;
        },
      },
    });
    const config = (name: string) =>
      withGetters(name, { '/etc/cron.d/a': file('reboot'), '/etc/cron.d/b': file('rpm-ostree rebase a') });
    const all = ['50-a', '50-b', '50-c'].map(config);
    const lint = changeLint({ ...changeLimits, read: 3_000 });

    const [first, same, fewer] = [all, [...all], all.slice(1)].map((each) => lint.warningsOf(each, undefined));

    expect(same).toBe(first);
    // What is read of a text is a little less than what it takes encoded.
    expect(reads.count).toBe(4);
    expect(first?.map(({ code, text }) => `${code}: ${text.split(',')[0]}`)).toEqual([
      'reboot-by-script: MachineConfig 50-a: file /etc/cron.d/a',
      'os-changed: MachineConfig 50-a: file /etc/cron.d/b',
      'reboot-by-script: MachineConfig 50-b: file /etc/cron.d/a',
      'os-changed: MachineConfig 50-b: file /etc/cron.d/b',
      'not-looked-at: MachineConfig 50-c: 2 of its files and units were not looked at: the change is too large',
    ]);
    expect(fewer).toEqual(first?.filter(({ text }) => !text.includes('50-a')));
  });

  test('[S1-16] [N-30] thousands of small texts and refused archives take room as well', () => {
    const bomb = gzipSync('x'.repeat(1_000_000)).toString('base64');
    const packed = { contents: { compression: 'gzip', source: `data:;base64,${bomb}` } };
    const small = { contents: { source: 'data:,x' } };
    const of = (file: unknown, count: number) =>
      machineConfig('50-x', {
        files: Object.fromEntries(Array.from({ length: count }, (_, at) => [`/etc/${at}`, file])),
      });
    const said = (config: MachineConfigContent) =>
      changeLint({ ...changeLimits, read: 50_000 })
        .warningsOf([config], undefined)
        .filter(({ code }) => code === 'not-looked-at')
        .map(({ text }) => text.replace(/ of its.*/, ''));

    expect(said(of(small, 100))).toEqual([]);
    expect(said(of(small, 110))).toEqual(['MachineConfig 50-x: 10']);
    expect(said(of(packed, 10))).toEqual(['MachineConfig 50-x: 8']);
  });

  test('[S1-16] [N-30] a script that is longer than what is read, and more MachineConfigs than are checked, are told', () => {
    const long = machineConfig('50-x', {
      files: { '/usr/local/bin/a.sh': `#!/bin/sh\n${'# a\n'.repeat(70_000)}reboot\n` },
    });
    const busy = machineConfig('50-x', {
      files: { '/usr/local/bin/a.sh': `#!/bin/sh\n${':;'.repeat(6_000)}reboot\n` },
    });
    const many = Array.from({ length: 103 }, (_, index) => machineConfig(`50-${index}`));

    for (const each of [long, busy])
      expect(
        changeLint()
          .warningsOf([each], [])
          .map(({ text }) => text),
      ).toContain(
        'MachineConfig 50-x: file /usr/local/bin/a.sh: only the first of its commands were looked at: it is too long, or a here document in it has no end',
      );
    expect(
      changeLint()
        .warningsOf(many, [])
        .map(({ text }) => text),
    ).toEqual(['3 more MachineConfigs of the change were not looked at']);
  });

  test('[S1-16] every warning says what, of which MachineConfig, and what to do; many of a kind are counted', () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`/usr/lib/${index}`, { mode: 644, contents: { source: 'data:,' } }]),
    );

    const found = lintMachineConfig(machineConfig('50-\u001b[31mred<b>', { files, labels: { [roleKey]: 'worker' } }));

    expect(found.length).toBeLessThan(20);
    for (const { text, remedy } of found) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
      expect(text).toMatch(/^MachineConfig 50-\[31mred<b>: [^\u0000-\u001f]+$/);
      expect(remedy).not.toBe('');
    }
    expect(found.map(({ text }) => text).join()).toContain('2995 more warnings of this kind: mode-decimal');
  });
});

function section(name: string, content: unknown): Saying {
  return { spec: { config: { ignition: { version: '3.2.0' }, [name]: content } } };
}
