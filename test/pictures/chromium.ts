import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fewerColours } from './fewer-colours.ts';

const run = promisify(execFile);

/** Draws pages with the Chromium of this machine. */
export interface Chromium {
  /** A picture of the page at this width, as high as it is. */
  draw(html: string, options: { readonly file: string; readonly width: number }): Promise<void>;
  close(): Promise<void>;
}

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
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
