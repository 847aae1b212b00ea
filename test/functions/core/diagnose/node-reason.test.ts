import { describe, expect, test } from 'vitest';
import { ruleFor } from '../../../../functions/core/diagnose/rules/degraded-catalogue.ts';
import { errorText, readNodeReason } from '../../../../functions/core/diagnose/text/node-reason.ts';
import { alwaysHolds, fc, runs } from '../../../property.ts';

const image =
  'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:2fe2fd4d99c953d5bcf0d53b420a2012aae7fd12986dac8e757ad68f7b97030c';
const rebase = `error running rpm-ostree rebase --experimental ostree-unverified-registry:${image}`;

test.each([
  [
    "the retries' own timeout is no cause as long as anything stands before it",
    `failed to update OS to ${image} after retries: ${rebase}: error: Old and new refs are equal: x\n: exit status 1: timed out waiting for the condition`,
    'Old and new refs are equal: x',
  ],
  [
    'releases 4.16 to 4.21 tell of the retries and nothing else',
    `Failed to update OS to ${image} after retries: timed out waiting for the condition`,
    'timed out waiting for the condition',
  ],
  [
    'a list of errors that is cut off after the timeout leaves no bracket as the error',
    `error pulling extensions image ${image}: failed to run command nice (6 tries): [timed out waiting for the condition`,
    'timed out waiting for the condition',
  ],
  [
    'progress of a program stands before its error',
    `failed to update OS to ${image} : with stdout output: : ${rebase} --custom-origin-description Managed by machine-config-operator: 0 metadata, 0 content objects imported\\nChecking out tree 14eea52...done\\nerror: Could not depsolve transaction; 1 problem detected:\\n Problem: conflicting requests\\n: exit status 1`,
    'Could not depsolve transaction; 1 problem detected: Problem: conflicting requests',
  ],
  [
    'the possible root cause is the cause',
    'unexpected on-disk state validating against rendered-worker-b: expected target osImageURL "a", have "b" ("c"); possible root cause: error: Installing kernel: regfile copy: No space left on device',
    'Installing kernel: regfile copy: No space left on device',
  ],
  [
    'escape sequences of rpm-ostree go, as they are and as Go quotes them',
    `${rebase}: \u001b[31m\u001b[1merror: \u001b[22m\u001b[0mA \\x1b[1mB\\x1b[0m\n: exit status 1`,
    'A B',
  ],
  [
    'a program that says nothing leaves its exit status',
    'failed to execute rpm-ostree ["update" "--install" "qemu-guest-agent"] : exit status 1',
    'exit status 1',
  ],
  [
    'output captured by the daemon follows the exit status',
    'error running rpm-ostree kargs: exit status 1\nerror: Timeout was reached',
    'Timeout was reached',
  ],
  [
    'the words of a log line are read like the annotation',
    'E0209 23:34:39.857504    2274 writer.go:200] Marking Degraded due to: failed to update OS to quay.io/a/b@sha256:ab : error running rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/a/b@sha256:ab: error: No enabled repositories\n: exit status 1',
    'No enabled repositories',
  ],
])('[S1-4] %s', (_, reason, error) => {
  expect(readNodeReason(reason).error).toBe(error);
});

test('[S1-4] program, arguments, exit status, image and answer of the registry are taken apart', () => {
  const read = readNodeReason(
    `failed to update OS to ${image} after retries: ${rebase}: error: remote error: fetching blob: received unexpected HTTP status: 503 Service Unavailable\n: exit status 1: timed out waiting for the condition`,
  );

  expect(read.command).toMatchObject({ program: 'rpm-ostree', exit: 'exit status 1' });
  expect(read.image).toBe(image);
  expect(read.registry).toEqual({ kind: 'failed', status: 503 });
  expect(read.isHidden).toBe(false);
});

test('[S1-7] a sentence cuts names in their middle and leaves the cause whole', () => {
  const text = errorText(
    readNodeReason(`${rebase}: error: reading manifest in ${image}: manifest unknown: gone for good\n: exit status 1`),
  );

  expect(text).toBe(
    'reading manifest in quay.io/.../ocp-v4.0-art-dev@sha256:2fe2fd4d...030c: manifest unknown: gone for good',
  );
});

test.each([
  ['a run of blanks in a command', `running a${' '.repeat(250_000)}x`],
  ['a run of blanks in an argument', `failed to run a ${' '.repeat(250_000)}x`],
  ['wrappers upon wrappers', 'Node a is reporting: "'.repeat(12_000)],
  ['images upon images', 'error pulling OS image a: '.repeat(10_000)],
  ['the beginnings of escape sequences', '\u001b]'.repeat(125_000)],
])('[N-30] a reason with %s is read in linear time', (_, reason) => {
  // Quadratic work on these takes minutes: the time limit of the test would end it.
  expect(readNodeReason(reason).whole.length).toBeLessThanOrEqual(reason.length);
});

test.each([
  ['put into each other', 'a\u001b[\u001b[0m31mb'],
  ['of the upper control set', 'a\u009b31mb'],
  ['that set the title, with either end', 'a\u001b]0;x\u0007\u001b]0;y\u001b\\b\\x1b]0;z\\x1b\\\\'],
])('[N-30] escape sequences %s leave none in the text', (_, reason) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  expect(readNodeReason(reason).whole).not.toMatch(/[\u001b\u0080-\u009f]|\\x1b|[xyz]/);
});

test('[N-30] an option of a program is no name of an image', () => {
  expect(readNodeReason('error pulling OS image --tls-verify=false: x').image).toBe('');
  expect(readNodeReason('error pulling OS image quay.io/a/b: x').image).toBe('quay.io/a/b');
});

describe('names say nothing about the cause', () => {
  const templates: readonly (readonly [code: string, of: (digest: string) => string])[] = [
    [
      'N18',
      (digest) =>
        `failed to update OS to quay.io/a/b@sha256:${digest} after retries: timed out waiting for the condition`,
    ],
    [
      'N18',
      (digest) =>
        `failed to update OS to quay.io/a/b@sha256:${digest} after retries: error running rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/a/b@sha256:${digest}: error: Odd thing with sha256:${digest}\n: exit status 1: timed out waiting for the condition`,
    ],
    [
      'N5',
      (digest) =>
        `failed to update OS to quay.io/a/b@sha256:${digest} : error running rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/a/b@sha256:${digest}: error: reading manifest sha256:${digest} in quay.io/a/b: manifest unknown\n: exit status 1`,
    ],
  ];

  test('[S1-4] 20,000 random digests never change it', () => {
    const digits = '0123456789abcdef';
    const digest = fc.string({ unit: fc.constantFrom(...digits), minLength: 64, maxLength: 64 });

    alwaysHolds(
      'the cause of a text',
      fc.property(digest, fc.constantFrom(...templates), (each, [code, of]) => {
        const read = readNodeReason(of(each));
        expect(ruleFor(read)?.code).toBe(code);
        expect(read.registry?.status).toBeUndefined();
      }),
      { numRuns: runs(20_000) },
    );
  });

  test.each(['401', '403', '404', '500', '503', '5043'])('[S1-4] %s inside a digest is no HTTP status', (number) => {
    const digest = `abc${number}def`.padEnd(64, '0');

    const read = readNodeReason(
      `failed to update OS to quay.io/a/b@sha256:${digest} after retries: timed out waiting for the condition`,
    );

    expect(read.registry).toBeUndefined();
  });

  test.each([
    ['a path', 'content mismatch for file "/etc/unauthorized/no such host"', 'N1'],
    [
      'a host',
      'error running podman pull -q --authfile /var/lib/kubelet/config.json timeout.denied.example.com/a@sha256:ab: Error: odd\n: exit status 125',
      'N18',
    ],
    ['an address', 'error running rpm-ostree kargs: error: odd 10.0.4.01:503\n: exit status 1', 'N30'],
  ])('[S1-4] nor does %s', (_, reason, code) => {
    const read = readNodeReason(reason);

    expect(read.registry).toBeUndefined();
    expect(ruleFor(read)?.code).toBe(code);
  });
});

describe('[S1-4] the innermost error decides, whatever the daemon was doing', () => {
  const wrapped = (error: string) =>
    `failed to update OS to ${image} after retries: ${rebase}: error: ${error}\n: exit status 1: timed out waiting for the condition`;

  test.each([
    ['N19', wrapped('Could not depsolve transaction; 1 problem detected:\n Problem: package a conflicts with b')],
    ['N19', wrapped('Packages not found: glusterfs, glusterfs-fuse')],
    ['N20', wrapped('Timeout was reached')],
    ['N20', wrapped('Loading sysroot: exit status: 1')],
    ['N21', wrapped('Old and new refs are equal: ostree-unverified-registry:quay.io/a@sha256:00')],
    ['N22', wrapped('Writing content object: min-free-space-percent 3% would be exceeded, at least 13.1 kB requested')],
    ['N22', 'failed to write systemd unit "a.service": write /etc/systemd/system/a.service: no space left on device'],
    ['N23', wrapped('fsync: Input/output error')],
    ['N24', wrapped('Running %post for fuse: bwrap(/bin/sh): Child process killed by signal 1; run `journalctl -t x`')],
    ['N25', wrapped("Updating rpm-md repo 'fedora': cannot download repomd.xml")],
    ['N6', wrapped('Transaction in progress: rebase --experimental x')],
    ['N5', wrapped('remote error: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 10.0.0.1:53: no such host')],
    ['N18', wrapped('something nobody knows')],
    ['N7', 'error running rpm-ostree update --install usbguard: error: Packages not found: usbguard\n: exit status 1'],
    ['N26', 'error running rpm-ostree status --json: exec: "rpm-ostree": executable file not found in $PATH'],
    ['N28', 'error current config rendered-a on disk does not match current config on annotation: rendered-b'],
    ['N29', 'bootstrap generated MC rendered-a and in-cluster generated MC rendered-b for this node do not match.'],
    ['N30', "error running rpm-ostree kargs --delete=nosmt: error: No key 'nosmt' found\n: exit status 1"],
    ['N31', "error setting node's state to Done: etcdserver: request timed out"],
    [
      'N32',
      'error while ensuring access to pull secrets: open /var/lib/kubelet/config.json: no such file or directory',
    ],
    ['N33', 'bootupctl fallback EFI copy: exit status 1'],
    ['N34', 'failed to change password for core: usermod: no changes: exit status 1'],
    ['N1', 'unexpected on-disk state validating against rendered-worker-5031f0a4'],
    ['N35', wrapped("During /etc merge: Modified config file newly defaults to directory 'foo', cannot merge")],
    ['N36', wrapped('Image has architecture arm64; expected amd64')],
    ['N9', 'mkdir /etc/foo: not a directory'],
    ['N9', 'failed to retrieve file ownership for file "/etc/x": failed to retrieve UserID for username: nobody2'],
    [
      'N9',
      'command "rpm -qf /etc/x" returned with unexpected error: error: cannot open Packages: Permission denied: exit status 1',
    ],
  ])('%s: %s', (code, reason) => {
    expect(ruleFor(readNodeReason(reason))?.code).toBe(code);
  });
});
