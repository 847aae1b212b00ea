import type { TurnHttp } from '../../core/configuration/turn-http.ts';
import type { WorkSeen } from '../../core/node-turns/judge-turn.ts';
import { type CallAnswer, judgeCall, ruleEvent } from '../../core/node-turns/rule-call.ts';
import { judgeCallback, newCallback, type RuleCallback } from '../../core/node-turns/rule-callback.ts';
import type { PlannedRule, RunPlan } from '../../core/node-turns/run-plan.ts';
import type { Turn } from '../../core/node-turns/run-record.ts';
import type { TurnJobId } from '../../core/node-turns/turn-job.ts';
import { Transient } from '../../core/text/errors.ts';
import type { RuleCallbacks } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';

export type CallPorts = Pick<KeepPorts, 'ruleCalls' | 'ruleCallbacks' | 'clock'>;

interface Called {
  readonly plan: RunPlan;
  readonly turn: Turn;
}

/** Tells and hears in one: what was told twice has the same id. */
export async function callRule(
  { plan, turn }: Called,
  { rule }: PlannedRule,
  id: TurnJobId,
  ports: CallPorts,
): Promise<WorkSeen> {
  const { http } = rule;
  const url = id.part === 'before' ? http?.url : http?.cleanUpUrl;
  if (http === undefined || url === undefined) return { kind: 'refused', why: 'it tells nobody' };
  if (ports.ruleCalls === undefined) return { kind: 'unseen', why: 'nobody is told from here' };
  const event = eventOf({ plan, turn }, id);
  if (http.callbackUrl === undefined) return judgeCall(await ports.ruleCalls.post(http, url, event));
  if (ports.ruleCallbacks === undefined) return { kind: 'unseen', why: 'callbacks are not kept here' };
  try {
    const callback = await opened(event.id, rule.timeoutSeconds, ports.ruleCallbacks, ports);
    return judgeCallback(callback) ?? (await posted({ http, url, event, base: http.callbackUrl }, callback, ports));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { kind: 'unseen', why: cause.message };
  }
}

/** What is known without telling anybody: a callback says whether its event was received. */
export async function heardOf(
  { plan, turn }: Called,
  { rule: { http } }: PlannedRule,
  id: TurnJobId,
  { ruleCallbacks }: CallPorts,
): Promise<WorkSeen> {
  if (http?.callbackUrl === undefined || ruleCallbacks === undefined) return { kind: 'absent' };
  try {
    const callback = await ruleCallbacks.load(eventOf({ plan, turn }, id).id);
    return (callback && judgeCallback(callback)) ?? { kind: 'absent' };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { kind: 'unseen', why: cause.message };
  }
}

function eventOf({ plan, turn }: Called, id: TurnJobId): ReturnType<typeof ruleEvent> {
  return ruleEvent(id, { cluster: plan.run.cluster, pool: turn.pool, targetConfig: turn.target });
}

/** The callback of the event, with the token that it had before: whoever was told twice may use either. */
async function opened(
  id: string,
  timeoutSeconds: number,
  callbacks: RuleCallbacks,
  { clock }: CallPorts,
): Promise<RuleCallback> {
  const known = await callbacks.load(id);
  if (known !== undefined) return known;
  const made = newCallback(id, callbacks.newToken(), timeoutSeconds, clock());
  if (await callbacks.save(made)) return { ...made, version: made.version + 1 };
  const other = await callbacks.load(id);
  if (other === undefined) throw new Transient('its callback could not be opened');
  return other;
}

interface Posted {
  readonly http: TurnHttp;
  readonly url: string;
  readonly event: ReturnType<typeof ruleEvent>;
  readonly base: string;
}

/** Whoever answers with what was sent shows it to everybody who reads the page. */
function withoutToken(answer: CallAnswer, token: string): CallAnswer {
  return answer.kind === 'answered' ? { ...answer, said: answer.said.replaceAll(token, '[redacted]') } : answer;
}

/** Any 2xx says that it was received: then it is waited for. */
async function posted(
  { http, url, event, base }: Posted,
  callback: RuleCallback,
  { ruleCalls, ruleCallbacks, clock }: CallPorts,
): Promise<WorkSeen> {
  if (ruleCalls === undefined || ruleCallbacks === undefined)
    return { kind: 'unseen', why: 'nobody is told from here' };
  const callbackUrl = `${base.replace(/\/$/, '')}/callbacks/${event.id}`;
  const data = { ...event.data, callbackUrl, callbackToken: callback.token };
  const answer = await ruleCalls.post(http, url, { ...event, data });
  const isReceived = answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
  if (!isReceived) return judgeCall(withoutToken(answer, callback.token));
  const received = { ...callback, received: clock().toISOString() };
  // Where it has come already, the next look reads it.
  await ruleCallbacks.save(received);
  return judgeCallback(received) ?? { kind: 'running' };
}
