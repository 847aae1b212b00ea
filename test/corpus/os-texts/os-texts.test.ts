import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ruleFor } from '../../../functions/core/diagnose/rules/degraded-catalogue.ts';
import { readNodeReason } from '../../../functions/core/diagnose/text/node-reason.ts';
import { type FieldReport, reasonOf } from '../field/field-report.ts';

/** Error texts of the programs that bring an operating system, rendered with values as they occur. Made by reading the
 *  calls that make an error in the projects that are named; texts that only builders of images get are left out. */
const OsText = z.object({
  source: z.string(),
  /** Where the daemon runs the program, as in the field reports. */
  step: z.enum(['bare', 'rebase', 'install', 'kargs', 'override', 'status', 'podman']),
  text: z.string(),
  code: z.string(),
});
const texts = z.array(OsText).parse(JSON.parse(readFileSync(join(import.meta.dirname, 'os-texts.json'), 'utf8')));

function codeOf(step: FieldReport['frame'], text: string): string {
  return ruleFor(readNodeReason(reasonOf({ frame: step, text })))?.code ?? 'N0';
}

describe('error texts of ostree, rpm-ostree, libdnf and containers/image', () => {
  test.each(texts.map(({ code, step, text }) => [code, step, text] as const))(
    '[S1-4] %s %s: %s',
    (code, step, text) => {
      expect(codeOf(step, text)).toBe(code);
    },
  );
});

describe('texts that have words in common', () => {
  test.each([
    ['N22', 'rebase', 'During /etc merge: Copying x: regfile copy: No space left on device'],
    [
      'N23',
      'rebase',
      'During /etc merge: While computing configuration diff: Error reading from file: Input/output error',
    ],
    ['N35', 'rebase', 'During /etc merge: opendir(etc): No such file or directory'],
    ['N20', 'rebase', 'double free or corruption (!prev)'],
    ['N23', 'rebase', "Corrupted file object; checksum expected='10ed' actual='8792'"],
    ['N5', 'rebase', 'failed to invoke method FinishPipe: corrupted blob, expecting sha256:aa, got sha256:bb'],
    ['N36', 'rebase', 'Image has architecture arm64; expected amd64'],
    ['N18', 'rebase', 'failed to invoke method FinishPipe: write |1: broken pipe'],
    ['N18', 'rebase', 'Reading malformed input'],
  ] as const)('[S1-4] %s %s: %s', (code, step, text) => {
    expect(codeOf(step, text)).toBe(code);
  });

  test('[S1-4] a missing package that the daemon asked for is an extension, any other is layered on the node', () => {
    expect(codeOf('install', 'Packages not found: usbguard')).toBe('N7');
    expect(codeOf('install', 'Packages not found: glusterfs, glusterfs-fuse')).toBe('N19');
  });
});
