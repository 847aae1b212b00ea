import * as z from 'zod';
import type { RelayedPushes } from '../../ports/tables.ts';
import type { Clock } from '../../ports/time.ts';
import { readBody } from './body.ts';
import type { Row } from './row.ts';
import { openTable, type TableOptions } from './table.ts';

/** Seconds: 4 days. GitHub redelivers a push for three. */
const keepSeconds = 4 * 24 * 3600;

/** `receivedAt`: of the reception that was accepted; an earlier version did not note it. */
const Accepted = z.looseObject({
  at: z.string(),
  receivedAt: z.string().default(''),
  isLate: z.boolean(),
  why: z.string(),
});

/** `free` and `refused` may be claimed, the latter only for another reception. `claimed` until a time: a worker is at
 *  it, or crashed. */
const Note = z.discriminatedUnion('state', [
  z.looseObject({ state: z.literal('free') }),
  z.looseObject({ state: z.literal('claimed'), until: z.string(), accepted: Accepted.optional() }),
  z.looseObject({ state: z.literal('refused'), receivedAt: z.string() }),
  z.looseObject({ state: z.literal('done'), accepted: Accepted.optional() }),
]);
type Note = z.infer<typeof Note>;

interface Send {
  readonly delivery: string;
  readonly receivedAt: string;
  readonly argocd: string;
  readonly endpoint: string;
  readonly round: number;
}

interface Held<S extends Send> {
  readonly kind: 'mine';
  readonly send: S;
  readonly version: number;
  readonly accepted: z.infer<typeof Accepted> | undefined;
}

type Outcome =
  | { readonly kind: 'accepted'; readonly accepted: z.infer<typeof Accepted> }
  | { readonly kind: 'done' | 'refused' | 'free' };

/** The POSTs of each delivery, one row each. Conditional writes only, so that of several concurrent workers one makes
 *  it. */
export function relayNotes(options: TableOptions) {
  const table = openTable(options);
  const { clock } = options;

  async function claim<S extends Send>(send: S, leaseSeconds: number, tries = 3): Promise<Answer<S>> {
    const row = await table.read(keyOf(send));
    const known = row && readBody(Note, row);
    const answer = known && standing(known, send, clock);
    if (answer !== undefined) return answer;
    const accepted = known?.state === 'claimed' ? known.accepted : undefined;
    const until = new Date(clock().getTime() + leaseSeconds * 1000).toISOString();
    const version = await write(send, row, { state: 'claimed', until, ...(accepted && { accepted }) });
    if (version !== undefined) return { kind: 'mine', send, version, accepted };
    return tries > 0 ? claim(send, leaseSeconds, tries - 1) : { kind: 'taken', untilSeconds: 1 };
  }

  /** The version that was written; undefined if another writer was faster. */
  async function write(send: Send, before: Pick<Row, 'version'> | undefined, note: Note): Promise<number | undefined> {
    const version = (before?.version ?? 0) + 1;
    const written = await table.write(
      { ...keyOf(send), body: JSON.stringify(note), version, keepSeconds },
      before === undefined ? { kind: 'absent' } : { kind: 'version', version: before.version },
    );
    return written.kind === 'written' ? version : undefined;
  }

  return {
    claim: <S extends Send>(send: S, leaseSeconds: number) => claim(send, leaseSeconds),
    async settle<S extends Send>(held: Held<S>, outcome: Outcome): Promise<Held<S>> {
      const accepted = outcome.kind === 'accepted' ? outcome.accepted : held.accepted;
      const version = await write(held.send, held, noteOf({ ...held, accepted }, outcome, clock));
      return { ...held, version: version ?? held.version, accepted };
    },
  };
}

type Answer<S extends Send> =
  | Held<S>
  | { readonly kind: 'taken'; readonly untilSeconds: number }
  | { readonly kind: 'done' };

function keyOf({ delivery, argocd, endpoint, round }: Omit<Send, 'receivedAt'>) {
  return { pk: `push#${delivery}`, sk: `relay#${argocd}#${endpoint}#${round}` };
}

/** What of these notes keep-pools asks for: whether a push that GitHub delivers again is new to Argo CD. */
export function relayedPushes(options: TableOptions): RelayedPushes {
  const table = openTable(options);
  return {
    async acceptedAsOf(to) {
      const row = await table.read(keyOf({ ...to, round: 1 }));
      const note = row && readBody(Note, row);
      switch (note?.state) {
        case undefined:
        case 'free':
        case 'refused':
          return undefined;
        case 'claimed':
          return note.accepted?.receivedAt;
        case 'done':
          return note.accepted?.receivedAt ?? '';
        default:
          return note satisfies never;
      }
    },
  };
}

/** Why it cannot be claimed; undefined: it can. */
function standing(
  note: Note,
  { receivedAt }: Send,
  clock: Clock,
): { readonly kind: 'taken'; readonly untilSeconds: number } | { readonly kind: 'done' } | undefined {
  switch (note.state) {
    case 'free':
      return undefined;
    case 'done':
      return { kind: 'done' };
    case 'refused':
      return note.receivedAt === receivedAt ? { kind: 'done' } : undefined;
    case 'claimed': {
      const untilSeconds = (Date.parse(note.until) - clock().getTime()) / 1000;
      return untilSeconds > 0 ? { kind: 'taken', untilSeconds } : undefined;
    }
    default:
      return note satisfies never;
  }
}

/** After an acceptance the claim is released at once: the next worker does the remaining work without another POST. */
function noteOf({ send, accepted }: Omit<Held<Send>, 'version'>, outcome: Outcome, clock: Clock): Note {
  switch (outcome.kind) {
    case 'accepted':
      return { state: 'claimed', until: clock().toISOString(), accepted };
    case 'refused':
      return { state: 'refused', receivedAt: send.receivedAt };
    case 'done':
      return { state: 'done', accepted };
    case 'free':
      return { state: 'free' };
    default:
      return outcome satisfies never;
  }
}
