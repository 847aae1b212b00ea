import * as z from 'zod';
import { FreezeRequest, HoldRequest, LookRequest, ResumeRequest, SteerRunRequest, ThawRequest } from './request.ts';

/** What is carried out, or looked up, where Slack is not waited for. */
export const ClusterRequest = z.discriminatedUnion('kind', [
  HoldRequest,
  ResumeRequest,
  FreezeRequest,
  ThawRequest,
  SteerRunRequest,
  LookRequest,
]);
export type ClusterRequest = z.infer<typeof ClusterRequest>;

/** A request that Slack signed, as it is kept until it is answered. */
export const AskedRequest = z.object({
  /** Of the command: the same however often Slack sends it. */
  id: z.string(),
  /** Optimistic lock; 0: never stored. */
  version: z.int(),
  /** Where it is carried out; empty: nowhere, or on no one cluster. */
  cluster: z.string(),
  request: ClusterRequest,
  /** As shown to people: `anna (Slack U0123456789)`. */
  who: z.string(),
  /** ISO instant at which it came. */
  at: z.iso.datetime(),
  /** Who is answered, and where. */
  answer: z.object({ channel: z.string(), user: z.string() }),
  /** `begun`: somebody carries it out, or died over it. */
  state: z.enum(['asked', 'begun', 'done']),
  /** ISO instant from which on somebody carries it out; absent: by an earlier version, which did not note it. */
  begunAt: z.iso.datetime().optional(),
  /** What came of it. */
  outcome: z.object({ said: z.string(), undo: z.string().optional() }).optional(),
  /** The answer is on its way. Absent: it may not be. */
  isAnswered: z.literal(true).optional(),
});
export type AskedRequest = Readonly<z.infer<typeof AskedRequest>>;

/** Seconds. What lay for longer is not done any more: others may have decided otherwise since. */
export const askedFreshSeconds = 5 * 60;

/** Seconds. Who carries it out is done or dead by then: a function of 60 s, and clocks that differ. */
export const carryOutSeconds = 90;
