import { roomFor } from '../../text/room.ts';
import { type Decoded, decodeContents } from '../decode.ts';
import type { Facet } from '../facet.ts';
import { isObject, textAt } from '../json.ts';
import { type DeedsRead, deedsIn, noDeeds } from './deeds-in.ts';
import { unitText } from './unit-text.ts';

/** `unread`: the change has more text than is looked at. */
export type ReadText = Decoded | { readonly kind: 'unread' };

/** The files and units of one change as every check sees them, for all MachineConfigs and clusters that it reaches. */
export interface ChangeTexts {
  /** Reads what a MachineConfig of the change sets, while there is room; what was read before costs nothing. */
  readonly read: (facets: readonly Facet[]) => void;
  /** The text of a file or unit. One of the cluster itself takes no room: it is as large as etcd allows. */
  readonly of: (facet: Facet) => ReadText;
  /** What its commands do. */
  readonly deedsOf: (facet: Facet) => DeedsRead;
  /** Whether all that was to be read was read. */
  readonly isWhole: () => boolean;
  /** Whether so many characters may be searched besides. */
  readonly maySearch: (characters: number) => boolean;
}

/** Limits of what is looked at of one change, for all clusters together. */
export const changeLimits = {
  /** Characters of files and units. They take a second to read, and no other request is served meanwhile; all
   *  MachineConfigs of a large cluster have a fifth of it. A change may bring 32 MB, which may unpack to a gigabyte. */
  read: 5_000_000,
  /** What the smallest text counts: thousands of empty ones take time too. */
  atLeast: 500,
  /** Characters that scripts are searched for in: a fifth of a second. */
  searched: 200_000_000,
};

export function changeTexts(limits: Readonly<typeof changeLimits> = changeLimits): ChangeTexts {
  const texts = new WeakMap<Facet, ReadText>();
  const deeds = new WeakMap<Facet, DeedsRead>();
  const room = roomFor(limits.read);
  let searchable = limits.searched;
  let isWhole = true;
  const of = (facet: Facet): ReadText => {
    const known = texts.get(facet) ?? textOf(facet);
    texts.set(facet, known);
    return known;
  };
  const deedsOf = (facet: Facet): DeedsRead => {
    const text = of(facet);
    const known = deeds.get(facet) ?? (text.kind === 'text' ? deedsIn(facet, text.text) : noDeeds);
    deeds.set(facet, known);
    return known;
  };
  return {
    read: (facets) => {
      for (const facet of facets) {
        if (!hasText(facet) || texts.has(facet)) continue;
        if (room.isLeft()) {
          room.take(Math.max(limits.atLeast, costOf(facet, of(facet))));
          deedsOf(facet);
        } else {
          texts.set(facet, { kind: 'unread' });
          isWhole = false;
        }
      }
    },
    of,
    deedsOf,
    isWhole: () => isWhole,
    maySearch: (characters) => {
      const isRoom = characters <= searchable;
      if (isRoom) searchable -= characters;
      return isRoom;
    },
  };
}

/** Whether it is read as text at all. */
export function hasText({ kind }: Facet): boolean {
  return kind === 'file' || kind === 'unit';
}

function textOf({ kind, value }: Facet): ReadText {
  switch (kind) {
    case 'unit':
      return { kind: 'text', text: unitText(value) };
    case 'file':
      return decodeContents(isObject(value) ? value['contents'] : undefined);
    default:
      return { kind: 'text', text: '' };
  }
}

/** Characters, or as many as may have been unpacked before it was known to be no text. */
function costOf({ value }: Facet, read: ReadText): number {
  if (read.kind === 'text') return read.text.length;
  const contents = isObject(value) ? value['contents'] : undefined;
  return textAt(contents, 'source').length * (textAt(contents, 'compression') === '' ? 1 : packedCost);
}

/** A refused archive is unpacked as far as it may be. */
const packedCost = 24;
