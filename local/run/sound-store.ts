import { mkdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** Has the folder of a table opened and read once before it is used: dynalite throws what it finds damaged where nobody
 *  can catch it, at every start, and nothing would pause. What is damaged is repaired, without what cannot be read any
 *  more. Throws Misconfigured where that fails, where another process uses the table, and where it cannot be opened.
 *  @returns what was done, for the log; undefined: the table is sound */
export async function soundStore(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new Misconfigured([`${folder}: the table cannot be opened: ${rootOf(cause).message}`]);
  });
  const damage = await damageOf(folder);
  if (damage === undefined) return undefined;
  await ClassicLevel.repair(folder).catch(() => undefined);
  if ((await damageOf(folder)) === undefined)
    return `the table in ${folder} was damaged (${damage}), and is repaired: what could not be read any more is lost`;
  throw new Misconfigured([
    `${folder}: the table is damaged, and cannot be repaired (${damage}): move the folder away, and start again. Incidents, history, asked approvals and what runs and sequences remember begin anew then; no hold is in it`,
  ]);
}

/** In words of the store; undefined: there is none. */
async function damageOf(folder: string): Promise<string | undefined> {
  const store = new ClassicLevel<Uint8Array, Uint8Array>(folder, { keyEncoding: 'view', valueEncoding: 'view' });
  try {
    await store.open();
    for await (const _ of store.iterator({ fillCache: false }));
    return undefined;
  } catch (cause) {
    const { code, message } = rootOf(cause);
    if (code === 'LEVEL_CORRUPTION' || message.includes('No such file')) return message;
    // A disk that is full, or may not be written, has lost nothing.
    throw new Misconfigured([
      code === 'LEVEL_LOCKED'
        ? `${folder}: another process uses this table; end it first, or choose another folder`
        : `${folder}: the table cannot be opened: ${message}`,
    ]);
  } finally {
    await store.close();
  }
}

function rootOf(cause: unknown): { readonly code: unknown; readonly message: string } {
  if (!(cause instanceof Error)) return { code: undefined, message: String(cause) };
  if (cause.cause instanceof Error) return rootOf(cause.cause);
  return { code: 'code' in cause ? cause.code : undefined, message: cause.message };
}
