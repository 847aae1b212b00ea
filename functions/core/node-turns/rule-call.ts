import { fingerprint } from '../text/fingerprint.ts';
import { quoted } from '../text/phrases.ts';
import { stable } from '../text/stable.ts';
import type { WorkSeen } from './judge-turn.ts';
import type { TurnJobContext, TurnJobId } from './turn-job.ts';

/** What is posted: a CloudEvent 1.0 in structured mode. */
export interface RuleEvent {
  readonly specversion: '1.0';
  /** The same for each time that it is posted: whoever has done it once need not do it again. */
  readonly id: string;
  readonly source: string;
  readonly type: 'poolkeeper.turn.before.v1' | 'poolkeeper.turn.after.v1';
  readonly datacontenttype: 'application/json';
  readonly data: Readonly<Record<string, string | number>>;
}

/** The same that a Job is told by its environment. */
export function ruleEvent(
  { run, round, node, rule, part, attempt }: TurnJobId,
  { cluster, pool, targetConfig }: TurnJobContext & { readonly cluster: string },
): RuleEvent {
  return {
    specversion: '1.0',
    id: fingerprint(stable({ cluster, run, round, node, rule, part, attempt })),
    source: `/poolkeeper/${encodeURIComponent(cluster)}/runs/${encodeURIComponent(run)}`,
    type: `poolkeeper.turn.${part}.v1`,
    datacontenttype: 'application/json',
    data: { cluster, run, round, node, rule, pool, targetConfig, attempt },
  };
}

/** How somebody answered. */
export type CallAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly said: string }
  /** Nobody did, which may pass. */
  | { readonly kind: 'silent'; readonly why: string }
  /** It may not be posted, which does not pass by itself. */
  | { readonly kind: 'refused'; readonly why: string };

/** Answers after which it is posted again: too early, too often, or the other side's own fault. */
const again: readonly number[] = [202, 408, 425, 429];

/** What an answer says of a rule. A redirect is not followed: it failed. */
export function judgeCall(answer: CallAnswer): WorkSeen {
  switch (answer.kind) {
    case 'refused':
      return { kind: 'refused', why: answer.why };
    case 'silent':
      return { kind: 'running', note: answer.why };
    case 'answered': {
      const { status } = answer;
      const said = quoted(answer.said);
      const told = `it answered ${status}${said === '' ? '' : `: ${said}`}`;
      if (again.includes(status) || status >= 500) return { kind: 'running', note: told };
      return status >= 200 && status < 300 ? { kind: 'complete', said } : { kind: 'failed', why: told };
    }
    default:
      return answer satisfies never;
  }
}
