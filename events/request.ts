import * as z from 'zod';
import { eventOf } from './envelope.ts';

/** A person asked for something by a command in Slack. It names the stored request and says nothing of it: whoever may
 *  send to a queue asks for nothing that Slack has not signed. To send-alerts, which answers, and from there to
 *  keep-pools where a cluster is to be reached; back to send-alerts with what came of it. */
export const RequestAsked = eventOf(
  'poolkeeper.request.asked.v1',
  z.object({
    /** Of the stored request. */
    id: z.string().min(1).max(100),
    /** Where it is carried out; empty: nowhere, it is a question. */
    cluster: z.string(),
  }),
);
export type RequestAsked = z.infer<typeof RequestAsked>;
