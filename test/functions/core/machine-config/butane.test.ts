import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../../functions/adapters/yaml/read-manifests.ts';
import { machineConfigOfButane } from '../../../../functions/core/machine-config/butane.ts';

const tuning = `# made by the platform team
variant: openshift
version: 4.16.0
metadata:
  name: 99-worker-tuning
  labels:
    machineconfiguration.openshift.io/role: worker
openshift:
  kernel_type: realtime
  kernel_arguments: [nosmt, mitigations=auto]
  extensions: [usbguard]
  fips: false
storage:
  files:
    - path: /etc/chrony.conf
      mode: 0644
      overwrite: true
      contents:
        inline: |
          pool time.example.com iburst
          # 100 %
    - path: /etc/motd.d/site
      contents:
        source: data:,hello%20world
systemd:
  units:
    - name: tune.service
      enabled: true
      contents: |
        [Service]
        ExecStart=/usr/bin/true
    - name: kubelet.service
      dropins:
        - name: 10-limits.conf
          contents: "[Service]"
passwd:
  users:
    - name: core
      password_hash: $y$hash
      ssh_authorized_keys: [ssh-ed25519 AAAA core]
`;

describe('[S1-21] a Butane file', () => {
  test('that is plain becomes the MachineConfig that butane makes of it', () => {
    const file = manifestReader()(tuning, 'nodes/99-worker-tuning.bu');

    expect(file).toEqual({
      kind: 'read',
      isWhole: true,
      manifests: [
        {
          group: 'machineconfiguration.openshift.io',
          kind: 'MachineConfig',
          namespace: '',
          name: '99-worker-tuning',
          labels: { 'machineconfiguration.openshift.io/role': 'worker' },
          annotations: {},
          body: {
            spec: {
              config: {
                ignition: { version: '3.4.0' },
                storage: {
                  files: [
                    {
                      path: '/etc/chrony.conf',
                      mode: 0o644,
                      overwrite: true,
                      contents: { source: 'data:,pool%20time.example.com%20iburst%0A%23%20100%20%25%0A' },
                    },
                    { path: '/etc/motd.d/site', contents: { source: 'data:,hello%20world' } },
                  ],
                },
                systemd: {
                  units: [
                    { name: 'tune.service', enabled: true, contents: '[Service]\nExecStart=/usr/bin/true\n' },
                    { name: 'kubelet.service', dropins: [{ name: '10-limits.conf', contents: '[Service]' }] },
                  ],
                },
                passwd: {
                  users: [{ name: 'core', passwordHash: '$y$hash', sshAuthorizedKeys: ['ssh-ed25519 AAAA core'] }],
                },
              },
              kernelType: 'realtime',
              kernelArguments: ['nosmt', 'mitigations=auto'],
              extensions: ['usbguard'],
              fips: false,
            },
          },
        },
      ],
    });
  });

  test.each([
    ['4.8.0', '3.2.0'],
    ['4.13.0', '3.2.0'],
    ['4.14.0', '3.4.0'],
    ['4.18.0', '3.4.0'],
    ['4.19.0', '3.5.0'],
    ['5.0.0', '3.5.0'],
  ])('of version %s becomes Ignition %s', (version, ignition) => {
    const made = machineConfigOfButane({ variant: 'openshift', version, metadata: { name: 'a' } });

    expect(made).toMatchObject({ manifest: { body: { spec: { config: { ignition: { version: ignition } } } } } });
  });

  const plain = { variant: 'openshift', version: '4.16.0', metadata: { name: 'a' } };

  test.each([
    ['variant fcos', { variant: 'fcos', version: '1.5.0' }, 'its variant is not openshift'],
    ['no variant', { version: '4.16.0' }, 'it has no variant'],
    ['a list', [plain], 'it has no variant'],
    ['a disk', { ...plain, storage: { disks: [] } }, 'only butane can convert it: storage.disks'],
    ['a mirror', { ...plain, boot_device: { mirror: {} } }, 'only butane can convert it: boot_device'],
    ['a tree', { ...plain, storage: { trees: [{ local: 'x' }] } }, 'only butane can convert it: storage.trees'],
    [
      'a local file',
      { ...plain, storage: { files: [{ path: '/a', contents: { local: 'a' } }] } },
      'only butane can convert it: storage.files.0.contents.local',
    ],
    ['no name', { ...plain, metadata: {} }, 'only butane can convert it: metadata.name'],
  ])('with %s is named, with the field that stops it', (_, document, why) => {
    expect(machineConfigOfButane(document)).toMatchObject({ kind: 'not-plain', why: expect.stringContaining(why) });
  });

  test('that is no YAML, or has two documents, is unreadable and quotes nothing', () => {
    const read = manifestReader();

    expect(read('variant: [openshift', 'a.bu')).toMatchObject({ kind: 'unreadable' });
    expect(read(`${tuning}---\n${tuning}`, 'a.bu')).toEqual({
      kind: 'unreadable',
      why: 'a Butane file has one document',
    });
    expect(JSON.stringify(read('variant: openshift\npassword: hunter2\n', 'a.bu'))).not.toContain('hunter2');
  });
  test('[N-30] that holds half a character does not stop the reading of its push', () => {
    const contents = { inline: 'a\ud800b' };
    const text = JSON.stringify({ ...plain, storage: { files: [{ path: '/a', contents }] } });

    expect(JSON.stringify(manifestReader()(text, 'a.bu'))).toContain('data:,a%EF%BF%BDb');
  });

  test('[N-30] is named by a field on one line, whatever its author called it', () => {
    const labels = { 'x\n\u001B[2Jok\u202E': 1 };
    const result = machineConfigOfButane({ ...plain, metadata: { ...plain.metadata, labels } });

    expect(result).toEqual({ kind: 'not-plain', why: 'only butane can convert it: metadata.labels.x [2Jok' });
  });
});
