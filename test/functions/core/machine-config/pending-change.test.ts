import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { compareRendered } from '../../../../functions/core/machine-config/compare-rendered.ts';
import { pendingChange } from '../../../../functions/core/machine-config/pending-change.ts';
import { machineConfig } from './builders.ts';

test('[S3-14] a push that brings a hundred MachineConfigs has as many causes as fit where they are kept', () => {
  const names = Array.from({ length: 100 }, (_, index) => `50-new-${index}`);
  const current = { name: 'rendered-a', sources: ['00-worker'] };
  const target = { name: 'rendered-b', sources: ['00-worker', ...names] };
  const files = Object.fromEntries(names.map((name) => [`/etc/${name}`, 'x']));

  const change = pendingChange({
    pool: { name: 'worker', current, target },
    rendered: { before: machineConfig('rendered-a', {}), after: machineConfig('rendered-b', { files }) },
    suspects: [],
    managed: [
      {
        application: 'openshift-gitops/nodes',
        revisions: ['b'.repeat(40)],
        resources: names.map((name) => ({ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name })),
      },
    ],
    circumstances: undefined,
  });

  expect(change.partsInAll).toBe(100);
  expect(change.causes).toHaveLength(20);
  expect(change.causes[0]).toMatchObject({ kind: 'git', by: { application: 'openshift-gitops/nodes' } });
});

test('[S3-14] [N-29] a MachineConfig with an empty text that the MCO does not render is no cause beside the real one', () => {
  const file = (source: string, more: object = {}) => ({ mode: 420, contents: { source: `data:,${source}`, ...more } });
  const managedBy = (application: string, name: string) => ({
    application,
    revisions: ['b'.repeat(40)],
    resources: [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name }],
  });
  const sources = ['50-base', '99-site'];

  const { causes } = pendingChange({
    pool: { name: 'worker', current: { name: 'rendered-a', sources }, target: { name: 'rendered-b', sources } },
    rendered: {
      before: machineConfig('rendered-a', { files: { '/etc/a': file('x') } }),
      after: machineConfig('rendered-b', { files: { '/etc/a': file('y') } }),
    },
    suspects: [
      machineConfig('50-base', { files: { '/etc/a': file('x', { compression: '' }) } }),
      machineConfig('99-site', { files: { '/etc/a': file('y') } }),
    ],
    managed: [managedBy('team-base/base', '50-base'), managedBy('team-site/site', '99-site')],
    circumstances: undefined,
  });

  expect(causes.map(({ sources: of }) => of)).toEqual([['99-site']]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A file of 250 kB in short lines, packed into 11 kB: as far as a file may be. */
function packed(salt: string) {
  const head = createHash('shake256', { outputLength: 7_450 }).update(salt).digest('base64');
  const text = gzipSync(`${head}\n${'passw:\n'.repeat(34_000)}`).toString('base64');
  return { mode: 420, contents: { source: `data:;base64,${text}`, compression: 'gzip' } };
}

/** What a config is compared with that has none of its files. */
function withPackedFiles() {
  const paths = Array.from({ length: 40 }, (_, index) => `/etc/app/${index}`);
  const files = Object.fromEntries([...paths, '/etc/ssh/last'].map((path) => [path, packed(path)]));
  return { before: machineConfig('rendered-a', {}), after: machineConfig('rendered-b', { files }) };
}

/** Lengths of the texts that were cleaned since, as each is before it is masked; and how many were unpacked. */
function workDone() {
  const cleaned: number[] = [];
  const { normalize } = String.prototype;
  vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
    cleaned.push(this.length);
    return normalize.call(this, form ?? 'NFC');
  });
  const unpacked = vi.spyOn(TextDecoder.prototype, 'decode');
  return { longest: () => Math.max(0, ...cleaned), unpacked: () => unpacked.mock.calls.length };
}

test('[S1-15] [N-30] of a config full of packed files none is masked, and as many as fit are searched', () => {
  const rendered = withPackedFiles();
  const work = workDone();

  const change = pendingChange({
    pool: {
      name: 'worker',
      current: { name: 'rendered-a', sources: [] },
      target: { name: 'rendered-b', sources: [] },
    },
    rendered,
    suspects: [],
    managed: [],
    circumstances: undefined,
  });

  expect(work.longest()).toBeLessThan(100);
  expect(work.unpacked()).toBeLessThan(20);
  expect(change.partsInAll).toBe(41);
  expect(change.parts[0]).toBe('file /etc/ssh/last');
  expect(change.security).toEqual(['sshd', 'content not looked at']);
});

test('[S3-7] [N-30] to tell what a rendered config does to nodes reads no packed file', () => {
  const { before, after } = withPackedFiles();
  const work = workDone();

  const between = compareRendered(before, after);

  expect(between.class).toBe('reboot');
  expect([work.longest(), work.unpacked()]).toEqual([0, 0]);
});
