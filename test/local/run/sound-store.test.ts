import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-store-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What is told, and how many rows there are afterwards; a row more is written before it ends. */
async function started() {
  const told: string[] = [];
  const { client, table: TableName, stop } = await startEmbeddedTable(join(folder, 'table'), (done) => told.push(done));
  const { Count = 0 } = await client.send(new ScanCommand({ TableName }));
  const Item = { pk: { S: 'p' }, sk: { S: String(Count) } };
  await client.send(new PutItemCommand({ TableName, Item }));
  await stop();
  return { told: told.join('\n'), rows: Count };
}

test('[N-2] a table that is sound is opened as it is, and nothing is told', async () => {
  await started();

  expect(await started()).toEqual({ told: '', rows: 1 });
});

test('[N-2] [N-29] a damaged table is repaired at the start, and that is told', async () => {
  await started();
  await writeFile(join(folder, 'table', 'CURRENT'), '');

  const { told, rows } = await started();

  expect(told).toMatch(/^the table in .*table was damaged \(Corruption: .*\), and is repaired/);
  expect(rows).toBe(1);
});

test('[N-2] [N-29] a table of which a part is gone or cannot be unpacked is started with the rest, and that is told', async () => {
  const path = join(folder, 'table');
  await started();
  const store = new ClassicLevel(path);
  for (let number = 0; number < 2000; number += 1) await store.put(`other ${number}`, 'pool '.repeat(200));
  await store.compactRange('', '~');
  await store.close();
  const [file = ''] = (await readdir(path)).filter((name) => name.endsWith('.ldb'));
  const part = await open(join(path, file), 'r+');
  await part.write(Buffer.alloc(3000, 0xff), 0, 3000, 2000);
  await part.close();

  const first = await started();
  const second = await started();

  expect(first.told).toMatch(/was damaged \(Corruption: .*\), and is repaired/);
  expect(second).toEqual({ told: '', rows: first.rows + 1 });
});

test('[N-2] [N-29] a table whose list of files is gone is put together again', async () => {
  await started();
  const path = join(folder, 'table');
  const [list = ''] = (await readdir(path)).filter((name) => name.startsWith('MANIFEST'));
  await rm(join(path, list));

  const { told, rows } = await started();

  expect({ told, rows }).toEqual({ told: expect.stringContaining('is repaired'), rows: 1 });
});

test('[N-2] a folder that is none is refused in words', async () => {
  await writeFile(join(folder, 'table'), '');

  await expect(startEmbeddedTable(join(folder, 'table'))).rejects.toThrow(/table: the table cannot be opened: /);
});

test('[N-2] a second process over one table is refused in words, and the first goes on', async () => {
  const first = await startEmbeddedTable(join(folder, 'table'));

  const second = startEmbeddedTable(join(folder, 'table'));

  await expect(second).rejects.toThrow(/another process uses this table; end it first/);
  const Item = { pk: { S: 'p' }, sk: { S: '0' } };
  await first.client.send(new PutItemCommand({ TableName: first.table, Item }));
  await first.stop();
});
