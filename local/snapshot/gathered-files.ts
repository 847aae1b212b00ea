import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** All objects of a kind that were gathered in one place. */
export interface Collected {
  readonly items: readonly unknown[];
  /** Files of which it is not known what they held. */
  readonly unread: readonly UnreadFile[];
  /** All are in one file. */
  readonly isList: boolean;
}

interface UnreadFile {
  /** Without its extension: the name of an object, or the plural of a list. */
  readonly name: string;
  readonly why: string;
}

/** Where an object was gathered says which one it is. */
interface Place {
  /** Undefined: cluster-scoped. */
  readonly namespace: string | undefined;
  readonly name: string;
}

type ReadObject = { readonly kind: 'read'; readonly body: unknown } | { readonly kind: 'unread'; readonly why: string };

interface GatheredFiles {
  /** One file with a list, or a folder with one file each. Undefined: not gathered. `namespace`: theirs; undefined:
   *  they are cluster-scoped. */
  collection(folder: string, plural: string, namespace?: string): Promise<Collected | undefined>;
  /** Undefined: not gathered. */
  object(file: string, place: Place): Promise<ReadObject | undefined>;
}

/** Bytes. Largest file that is read. */
const largest = 64 * 1024 * 1024;

/** `oc` sorts the fields of what it writes: the kind of a list comes after its items, so one that was cut off has
 *  none. Source: openshift/oc pkg/cli/admin/inspect/writer.go, YAMLPrinter of k8s.io/cli-runtime. */
const List = z.object({ items: z.array(z.unknown()).nullable(), kind: z.string().endsWith('List') });
const Named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });

/** The files of a gather, each read once. A file that cannot be read spoils no other.
 *  @param folder which names of files are told relative to */
export function gatheredFiles(folder: string): GatheredFiles {
  const collections = new Map<string, Promise<Collected | undefined>>();
  const objects = new Map<string, Promise<ReadObject | undefined>>();
  const unread = (file: string, why: string) => ({
    kind: 'unread' as const,
    name: basename(file, '.yaml'),
    why: `${relative(folder, file)}: ${why}`,
  });

  async function listIn(file: string, namespace: string | undefined): Promise<Collected | undefined> {
    const text = await textOf(file);
    if (text === undefined) return undefined;
    const none = (why: string) => ({ items: [], unread: [unread(file, why)], isList: true });
    if (text.kind === 'unread') return none(text.why);
    const list = List.safeParse(text.value).data;
    if (list === undefined) return none('is cut off, or no list');
    const items = list.items ?? [];
    return items.every((item) => isIn(item, namespace))
      ? { items, unread: [], isList: true }
      : none(`has objects that are not in namespace ${namespace}`);
  }

  async function objectIn(file: string, { namespace, name }: Partial<Place>): Promise<ReadObject | undefined> {
    const text = await textOf(file);
    if (text === undefined) return undefined;
    if (text.kind === 'unread') return unread(file, text.why);
    const { metadata } = Named.safeParse(text.value).data ?? {};
    if (metadata === undefined || !text.endsLine) return unread(file, 'is cut off, or no object');
    const isMeant = isIn(text.value, namespace) && (name === undefined || metadata.name === name);
    return isMeant ? { kind: 'read', body: text.value } : unread(file, 'is another object than its place says');
  }

  async function objectsIn(home: string, namespace: string | undefined): Promise<Collected | undefined> {
    const names = await readdir(home).catch(() => undefined);
    if (names === undefined) return undefined;
    const files = names.filter((name) => name.endsWith('.yaml')).map((name) => join(home, name));
    const read = await Promise.all(files.map(async (file) => ({ file, object: await objectIn(file, { namespace }) })));
    return {
      items: read.flatMap(({ object }) => (object?.kind === 'read' ? [object.body] : [])),
      unread: read.flatMap(({ file, object }) =>
        object?.kind === 'unread' ? [{ name: basename(file, '.yaml'), why: object.why }] : [],
      ),
      isList: false,
    };
  }

  return {
    collection: (home, plural, namespace) =>
      once(
        collections,
        join(home, plural),
        async () => (await listIn(join(home, `${plural}.yaml`), namespace)) ?? objectsIn(join(home, plural), namespace),
      ),
    object: (file, place) => once(objects, file, () => objectIn(file, place)),
  };
}

function once<Read>(known: Map<string, Promise<Read>>, key: string, read: () => Promise<Read>): Promise<Read> {
  const before = known.get(key) ?? read();
  known.set(key, before);
  return before;
}

function isIn(item: unknown, namespace: string | undefined): boolean {
  return namespace === undefined || Named.safeParse(item).data?.metadata.namespace === namespace;
}

type ReadText =
  | { readonly kind: 'read'; readonly value: unknown; readonly endsLine: boolean }
  | { readonly kind: 'unread'; readonly why: string };

/** Undefined if there is no such file. */
async function textOf(file: string): Promise<ReadText | undefined> {
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === undefined) return undefined;
  if (size === 0) return { kind: 'unread', why: 'is empty' };
  if (size > largest) return { kind: 'unread', why: `is larger than ${largest / 1024 / 1024} MiB` };
  try {
    const text = await readFile(file, 'utf8');
    return { kind: 'read', value: parse(text, { maxAliasCount: 0 }), endsLine: text.endsWith('\n') };
  } catch {
    return { kind: 'unread', why: 'is not YAML, or may not be read' };
  }
}
