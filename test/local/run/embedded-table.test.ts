import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Writes until the table refuses, then reads what it has. */
const program = `
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { startEmbeddedTable } from './local/run/embedded-table.ts';
const { client, table: TableName, stop } = await startEmbeddedTable(process.argv[1]);
const row = (n) => ({ pk: { S: 'p' }, sk: { S: String(n) } });
let written = 0;
let refused;
while (refused === undefined && written < 400)
  await client.send(new PutItemCommand({ TableName, Item: { ...row(written), body: { S: 'x'.repeat(20000) } } })).then(
    () => { written += 1; },
    (cause) => { refused = cause.name + ': ' + cause.message.replace(/\\/.*:/, ''); },
  );
const { Item } = await client.send(new GetItemCommand({ TableName, Key: row(written - 1) }));
console.log(JSON.stringify({ isLimited: written < 400, refused, isRead: Item !== undefined }));
await stop();
`;

/** The same, then again after 20 minutes: while the disk has no room, and once it has. */
const programLater = program
  .replace(
    'let written',
    `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { statfs } = fs;
fs.statfs = async () => ({ bavail: 0, bsize: 4096 });
syncBuiltinESMExports();
let written`,
  )
  .replace(
    'await stop();',
    `
const { Date: RealDate } = globalThis;
globalThis.Date = class extends RealDate {
  constructor(...args) { super(...(args.length === 0 ? [RealDate.now() + 20 * 60_000] : args)); }
};
const again = () =>
  client.send(new PutItemCommand({ TableName, Item: { ...row(999), body: { S: 'x'.repeat(300_000) } } })).then(
    () => 'written',
    (cause) => cause.name,
  );
console.log(await again());
fs.statfs = statfs;
syncBuiltinESMExports();
console.log(await again());`,
  );

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-table-'));
});
afterAll(() => rm(folder, { recursive: true }));

function runLimited(code: string, table: string) {
  // A file that may not grow is refused as on a full disk. In blocks of 512 or 1,024 bytes.
  const shell = 'ulimit -f 4096; exec "$0" --input-type=module --eval "$1" "$2"';
  const child = spawn('sh', ['-c', shell, process.execPath, code, join(folder, table)], { cwd: root });
  return Promise.all([text(child.stdout), text(child.stderr), new Promise((resolve) => child.once('exit', resolve))]);
}

test('[N-2] a table whose disk is full refuses what is written, tells what it has, and its process goes on', async () => {
  const [out, problems, status] = await runLimited(program, 'table');

  expect({ problems, status }).toEqual({ problems: '', status: 0 });
  expect(JSON.parse(out)).toEqual({
    isLimited: true,
    refused: expect.stringMatching(/^InternalServerError: IO error: .*File too large/),
    isRead: true,
  });
});

test('[N-2] it ends its process after a while only where the next one finds room to start', async () => {
  const [out, problems, status] = await runLimited(programLater, 'later');

  const [, whileFull, ...more] = out.trim().split('\n');
  expect([whileFull, more]).toEqual(['InternalServerError', []]);
  expect(problems).toContain('File too large');
  expect(status).not.toBe(0);
});
