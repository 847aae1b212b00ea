import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { terminalSvg } from './terminal-svg.ts';

const root = join(import.meta.dirname, '../..');
const pictures = join(root, 'docs/pictures/terminal');

type Program = ReturnType<typeof start>;

function start(file: string, args: readonly string[]) {
  return spawn(process.execPath, [join(root, file), ...args], {
    env: { ...process.env, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Columns of the terminal. */
const width = 100;

/** What the program prints until it ends, with its colours and its pauses, in asciinema's format (asciicast 2). */
async function record(title: string, { stdout }: Program, file: string): Promise<string> {
  const begun = performance.now();
  const header = { version: 2, width, height: 40, timestamp: Math.floor(Date.now() / 1000), title };
  const lines = [JSON.stringify(header)];
  let printed = '';
  for await (const text of stdout.setEncoding('utf8')) {
    const seconds = Number(((performance.now() - begun) / 1000).toFixed(3));
    printed += String(text);
    lines.push(JSON.stringify([seconds, 'o', String(text).replaceAll('\n', '\r\n')]));
  }
  await writeFile(join(pictures, file), `${lines.join('\n')}\n`);
  return printed;
}

/** The whole of `npm start -- --exit`. */
async function recordStart(): Promise<void> {
  await record('npm start -- --exit', start('local/main.ts', ['--exit']), 'start.cast');
}

/** `run status --watch` in a second terminal while scenario `node-by-node` plays, slowly enough for its looks, and a
 *  picture of what it shows while the run is blocked. */
async function recordRunStatus(): Promise<void> {
  const demo = start('local/main.ts', ['--scenario', 'node-by-node', '--port', '0', '--speed', '8']);
  try {
    const kubeconfig = await untilTurnsBegin(demo);
    const config = join(dirname(kubeconfig), 'poolkeeper.yaml');
    const command = 'poolkeeper run status upgrade --watch';
    const args = ['run', 'status', 'upgrade', '--watch', '--config', config, '--kubeconfig', kubeconfig];
    const printed = await record(command, start('local/cli/main.ts', args), 'run-status.cast');
    const blocked = printed.split(/\n(?=Run )/).find((look) => look.includes('blocked'));
    if (blocked === undefined) throw new Error('the run was not seen blocked: record it again');
    await writeFile(join(pictures, 'run-status.svg'), terminalSvg(command, wrapped(blocked)));
  } finally {
    demo.kill();
    await once(demo, 'exit');
  }
}

/** As a terminal breaks lines. */
function wrapped(text: string): string {
  return text.replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), '$&\n');
}

/** The path of the kubeconfig. */
async function untilTurnsBegin({ stdout }: Program): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const kubeconfig = /KUBECONFIG=(\S+)/.exec(printed)?.[1];
      if (kubeconfig !== undefined && printed.includes('its turn begins')) resolve(kubeconfig);
    });
    stdout.on('end', () => reject(new Error(`the demo ended:\n${printed}`)));
  });
}

const recordings = { start: recordStart, 'run-status': recordRunStatus } as const;

/** `node test/pictures/record-terminal.ts [NAME...]`: no two runs are the same, so no test compares them. */
const wanted = process.argv.slice(2);
for (const [name, make] of Object.entries(recordings)) if (wanted.length === 0 || wanted.includes(name)) await make();
