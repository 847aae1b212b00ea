import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { compareRendered } from '../../../../functions/core/machine-config/compare-rendered.ts';
import { pendingChange } from '../../../../functions/core/machine-config/pending-change.ts';
import { contentText } from '../../../../functions/core/machine-config/pending-text.ts';
import { adding, predict } from '../../preview-changes/pull-world.ts';
import { machineConfig } from './builders.ts';

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
function withPackedFiles(more: readonly string[] = []) {
  const paths = Array.from({ length: 40 }, (_, index) => `/etc/app/${index}`);
  const files = Object.fromEntries([...paths, '/etc/ssh/last', ...more].map((path) => [path, packed(path)]));
  return { before: machineConfig('rendered-a', {}), after: machineConfig('rendered-b', { files }) };
}

/** Lengths of the texts that are cleaned from now on, as each is before it is masked; each is normalised twice for
 *  that. And how many are unpacked. */
function workDone() {
  const cleaned: number[] = [];
  const { normalize } = String.prototype;
  vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
    cleaned.push(this.length);
    return normalize.call(this, form ?? 'NFC');
  });
  const unpacked = vi.spyOn(TextDecoder.prototype, 'decode');
  return { cleaned, longest: () => Math.max(0, ...cleaned), unpacked: () => unpacked.mock.calls.length };
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
    rendered: { ...rendered, others: [] },
    others: { names: [], mayBeMore: false },
    suspects: [],
    managed: [],
    circumstances: undefined,
  });

  expect(work.longest()).toBeLessThan(100);
  expect(work.unpacked()).toBeLessThan(20);
  expect(change.partsInAll).toBe(41);
  expect(change.parts[0]).toBe('file /etc/ssh/last');
  expect(change.security).toEqual(['content not looked at', 'sshd']);
});

test('[S1-15] [S3-14] that not all was looked at is told beside more topics than are shown', () => {
  const { before, after } = withPackedFiles([
    '/etc/selinux/config',
    '/etc/sudoers.d/x',
    '/etc/polkit-1/rules.d/1.rules',
    '/etc/audit/rules.d/1.rules',
  ]);

  const change = pendingChange({
    pool: { name: 'worker', current: { name: before.name, sources: [] }, target: { name: after.name, sources: [] } },
    rendered: { before, after, others: [] },
    others: { names: [], mayBeMore: false },
    suspects: [],
    managed: [],
    circumstances: undefined,
  });

  expect(change.security.length).toBeGreaterThan(5);
  expect(contentText(change)).toContain('; concerns content not looked at, ');
});

test('[S3-7] [N-30] to tell what a rendered config does to nodes reads no packed file', () => {
  const { before, after } = withPackedFiles();
  const work = workDone();

  const between = compareRendered(before, after);

  expect(between.class).toBe('reboot');
  expect([work.longest(), work.unpacked()]).toEqual([0, 0]);
});

test('[N-14] [N-30] in a preview, others have a turn after each file that is masked', async () => {
  const length = 200_000;
  const configs = Array.from({ length: 4 }, (_, config) =>
    adding(
      `5${config}-own`,
      Array.from({ length: 8 }, (__, at) => ({
        path: `/etc/app-${config}-${at}.conf`,
        text: `${config} ${at} ${'of words '.repeat(length / 9)}`,
      })),
    ),
  );
  const { cleaned } = workDone();
  const pieces: number[] = [];

  await predict({
    files: { files: configs.flatMap(({ files }) => files), tools: [], incomplete: undefined },
    yieldToEventLoop: async () => {
      const piece = cleaned.splice(0).reduce((sum, each) => sum + each, 0);
      pieces.push(piece);
    },
  });

  expect(pieces.filter((characters) => characters > length)).toHaveLength(30);
  expect(Math.max(...pieces, ...cleaned)).toBeLessThan(3 * length);
});
