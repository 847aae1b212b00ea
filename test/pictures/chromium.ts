import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AxeResults } from 'axe-core';
import * as z from 'zod';
import { fewerColours } from './fewer-colours.ts';
import { auditing, findingsOf } from './findings.ts';

const run = promisify(execFile);

/** Draws pages with the Chromium of this machine. */
export interface Chromium {
  /** A picture of the page at this width, as high as it is. */
  draw(html: string, options: { readonly file: string; readonly width: number }): Promise<void>;
  /** What axe finds wrong with the page for people who see, hear or use it otherwise; empty: nothing above minor. */
  audit(
    html: string,
    options: { readonly width: number; readonly theme: 'light' | 'dark' },
  ): Promise<readonly string[]>;
  close(): Promise<void>;
}

const Audited = z.object({
  violations: z.array(z.custom<AxeResults['violations'][number]>()),
  incomplete: z.array(z.custom<AxeResults['incomplete'][number]>()),
  /** Rules that were applied and found nothing. */
  passes: z.number().min(20),
  dark: z.boolean(),
});

/** Debian's package is called `chromium`. */
const program = process.env['CHROMIUM'] ?? 'chromium';

/** Milliseconds for one page; a cold start takes some two seconds. */
const timeout = 60_000;

export async function startChromium(): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    // Grey edges instead of coloured ones: a third of the bytes.
    '--disable-lcd-text',
    '--force-device-scale-factor=1',
    `--user-data-dir=${folder}/profile`,
    '--virtual-time-budget=2000',
  ];
  const page = join(folder, 'page.html');
  return {
    async draw(html, { file, width }) {
      await writeFile(page, html);
      const size = (height: number) => `--window-size=${width},${height}`;
      const dumped = await run(program, [...flags, size(800), '--dump-dom', `file://${page}`], {
        timeout,
        maxBuffer: 16 * 1024 * 1024,
      });
      const height = Number(/<title>(\d+)<\/title>/.exec(dumped.stdout)?.[1]);
      if (!Number.isFinite(height)) throw new Error(`${file}: the page did not say how high it is`);
      await run(program, [...flags, size(height), `--screenshot=${file}`, `file://${page}`], { timeout });
      await writeFile(file, fewerColours(await readFile(file)));
    },
    async audit(html, { width, theme }) {
      await writeFile(page, auditing(html));
      const colours = `--blink-settings=preferredColorScheme=${theme === 'dark' ? 0 : 1}`;
      const patient = [...flags.filter((flag) => !flag.startsWith('--virtual-time')), '--virtual-time-budget=20000'];
      const { stdout } = await run(
        program,
        [...patient, colours, `--window-size=${width},2000`, '--dump-dom', `file://${page}`],
        { timeout, maxBuffer: 64 * 1024 * 1024 },
      );
      const found = Audited.parse(
        JSON.parse(decodeURIComponent(/<title>(%7B[^<]*)<\/title>/.exec(stdout)?.[1] ?? '{}')),
      );
      if (found.dark !== (theme === 'dark')) throw new Error(`the page was not drawn in the ${theme} theme`);
      return findingsOf(found);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
