import { Transient } from '../../core/text/errors.ts';
import type { Routes, StoredRoutes } from '../../ports/tables.ts';
import type { NewId } from '../../ports/time.ts';
import { packText, unpackText } from './packed-text.ts';
import type { Row } from './row.ts';
import { saveVersion } from './save-version.ts';
import { RoutesHead, type RouteTable, StoredRouteTable } from './stored/routes.ts';
import type { RowKey, Table } from './table.ts';

/** Seconds: 30 days after the last list of the Applications. */
const keepSeconds = 30 * 24 * 3600;
/** Milliseconds: 7 days. Unchanged content is rewritten before it expires. */
const repackAfterMs = 7 * 24 * 3600 * 1000;
/** Characters of base64 in one row. DynamoDB limits an item to 400 KiB with its names and keys. */
const chunkCharacters = 380 * 1024;
/** Up to this many characters the routes are in the head row itself: one read. Several hundred Applications. */
const inHeadCharacters = 32 * 1024;

/** The routing table of each Argo CD instance: compressed, in as many rows as needed. A small head row has the version
 *  and names the rows, so that a reader who has that content reads nothing else; content is never overwritten, only
 *  replaced. */
export function dynamoRoutes(table: Table, newId: NewId): Routes {
  const known = new Map<string, Known>();

  async function contentOf(argocd: string, head: RoutesHead): Promise<RouteTable | undefined> {
    const cached = known.get(argocd);
    if (cached?.head.content === head.content) return cached.content;
    const rows = await Promise.all(
      Array.from({ length: head.chunks }, (_, index) => table.read(chunkKey(argocd, head.content, index))),
    );
    const packed = head.chunks === 0 ? head.packed : joined(rows);
    return packed === undefined ? undefined : readTable(await unpackText(packed));
  }

  async function load(argocd: string, isAgain = false): Promise<StoredRoutes | undefined> {
    const row = await table.read(headKey(argocd));
    if (row === undefined) return undefined;
    const head = RoutesHead.safeParse(parse(row.body)).data;
    const content = head && (await contentOf(argocd, head));
    if (head !== undefined && content !== undefined) {
      known.set(argocd, { head, version: row.version, content });
      return { argocd, version: row.version, listedAt: head.listedAt, ...content };
    }
    // Its rows were replaced between the two reads, or another version wrote them.
    return isAgain ? { argocd, version: row.version, listedAt: '', routes: [], sets: [] } : load(argocd, true);
  }

  /** Writes the rows of new content before the head that names them. */
  async function pack({ argocd, routes, sets, names, listedAt }: StoredRoutes): Promise<RoutesHead> {
    const cached = known.get(argocd);
    const isSame = cached?.content.routes === routes && cached.content.sets === sets && cached.content.names === names;
    if (isSame && !isOld(cached.head, listedAt)) return { ...cached.head, listedAt };
    const packed = await packText(JSON.stringify({ routes, sets, names } satisfies RouteTable));
    const content = newId();
    const head = { listedAt, packedAt: listedAt, content };
    if (packed.length <= inHeadCharacters) return { ...head, chunks: 0, packed };
    const chunks = Math.ceil(packed.length / chunkCharacters);
    await Promise.all(
      Array.from({ length: chunks }, (_, index) => {
        const body = packed.slice(index * chunkCharacters, (index + 1) * chunkCharacters);
        return table.write({ ...chunkKey(argocd, content, index), body, version: 0, keepSeconds }, { kind: 'absent' });
      }),
    );
    return { ...head, chunks, packed: '' };
  }

  /** Expires rows that no head names any more; those that could not be updated expire by themselves. */
  async function expire(argocd: string, { content, chunks }: RoutesHead): Promise<void> {
    const keys = Array.from({ length: chunks }, (_, index) => chunkKey(argocd, content, index));
    const empty = { body: '', version: 0, keepSeconds: 0 };
    const ended = await Promise.allSettled(keys.map((key) => table.write({ ...key, ...empty }, { kind: 'not newer' })));
    for (const each of ended) {
      if (each.status === 'rejected' && !(each.reason instanceof Transient)) throw each.reason;
    }
  }

  return {
    load: (argocd) => load(argocd),
    last(argocd) {
      const cached = known.get(argocd);
      return cached && { argocd, version: cached.version, listedAt: cached.head.listedAt, ...cached.content };
    },
    async save(stored) {
      const { argocd, version, routes, sets, names } = stored;
      const before = known.get(argocd)?.head;
      const head = await pack(stored);
      const isFirst = await saveVersion(table, {
        ...headKey(argocd),
        version,
        keepSeconds,
        bodyOf: () => JSON.stringify(head),
      });
      if (isFirst) known.set(argocd, { head, version: version + 1, content: { routes, sets, names } });
      const left = isFirst ? before : head;
      const stands = isFirst ? head : before;
      if (left !== undefined && left.content !== stands?.content) await expire(argocd, left);
      return isFirst;
    },
  };
}

/** What this process last read or wrote. */
interface Known {
  readonly head: RoutesHead;
  readonly version: number;
  readonly content: RouteTable;
}

function headKey(argocd: string): RowKey {
  return { pk: 'routes', sk: argocd };
}

function chunkKey(argocd: string, content: string, index: number): RowKey {
  return { pk: `routes/${argocd}`, sk: `${content}/${index}` };
}

function isOld({ packedAt }: RoutesHead, listedAt: string): boolean {
  return !(Date.parse(listedAt) - Date.parse(packedAt) < repackAfterMs);
}

function joined(rows: readonly (Row | undefined)[]): string | undefined {
  return rows.includes(undefined) ? undefined : rows.map((row) => row?.body ?? '').join('');
}

function readTable(text: string | undefined): RouteTable | undefined {
  return text === undefined ? undefined : StoredRouteTable.safeParse(parse(text)).data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
