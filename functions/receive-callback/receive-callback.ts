import * as z from 'zod';
import { takeAnswer } from '../core/node-turns/rule-callback.ts';
import { BadInput, Transient } from '../core/text/errors.ts';
import type { RuleCallbacks } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock, NewId } from '../ports/time.ts';
import { answering, type Reply, type WebHandler } from '../shell/answer.ts';
import { parseAs, parseJson, readText } from '../shell/body.ts';
import { bearerToken, isToken } from '../shell/token.ts';

export interface ReceiveCallbackPorts {
  readonly callbacks: Pick<RuleCallbacks, 'load' | 'save'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

const bodyAtMostBytes = 8 * 1024;

/** Behind it the id of the event, as `callbackUrl` of the event has it. */
const routePath = /^\/callbacks\/([0-9a-f]{16})$/;

const Answer = z.strictObject({
  status: z.enum(['succeeded', 'failed']),
  message: z.string().max(4_000).default(''),
});

/** Lost races against a pass that notes that the event was received. */
const attemptsAtMost = 5;

/** `POST /callbacks/ID`: what became of the event of a rule, by whoever got it. The token stands in that event alone
 *  and counts for one attempt of one rule at one node. The first answer within its time counts, and the next look at
 *  the run reads it; no other changes anything. */
export function receiveCallback(ports: ReceiveCallbackPorts): WebHandler {
  const { logger, metrics, newId } = ports;
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    const [, id] = routePath.exec(new URL(request.url).pathname) ?? [];
    const token = bearerToken(request.headers);
    const text = await readText(request, bodyAtMostBytes);
    // Before the table: most of what is probed ends here.
    if (id === undefined || token === undefined) throw unknown();
    return answered(id, token, text, ports);
  });
}

async function answered(
  id: string,
  token: string,
  text: string,
  { callbacks, clock }: ReceiveCallbackPorts,
): Promise<Reply> {
  for (let attempts = 0; attempts < attemptsAtMost; attempts += 1) {
    const callback = await callbacks.load(id);
    if (callback === undefined || !isToken(token, callback.token)) throw unknown();
    const { status, message } = parseAs(Answer, parseJson(text));
    const taken = takeAnswer(callback, { status, message }, clock());
    const about = { correlation: id, phase: status };
    if (taken.kind === 'late')
      return { status: 410, reason: 'too late: this attempt is over', body: { recorded: false }, about };
    if (taken.kind === 'repeated')
      return { status: 200, reason: 'answered before: the first answer counts', body: { recorded: false }, about };
    if (await callbacks.save(taken.callback))
      return { status: 200, reason: 'recorded', body: { recorded: true }, about };
  }
  throw new Transient('the callback changes faster than it can be written');
}

/** One answer for whatever is wrong: nobody learns which events there are. */
function unknown(): BadInput {
  return new BadInput('the token is missing or wrong, or there is no such event', { status: 401 });
}
