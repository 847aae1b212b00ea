import { identitiesOf, mayApprove } from '../configuration/approve.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Approval } from '../gates/approvals.ts';
import { safeLine } from '../text/safe-text.ts';
import type { TimelineEntry } from '../timeline/view.ts';
import type { ApprovalRequest } from './request.ts';
import { type Requester, whoApproves } from './who-may.ts';

export type TakenApproval =
  | {
      readonly kind: 'taken';
      /** To be stored: the approval, or the revocation under every identity of the person. */
      readonly approvals: readonly Approval[];
      readonly entry: TimelineEntry;
    }
  /** `entry`: absent for a pool that nobody has to approve. */
  | { readonly kind: 'refused'; readonly why: string; readonly entry?: TimelineEntry };

/** What becomes of a request to approve, or to revoke that. Pure.
 *  @param at when the surface took it: the same for a request that is delivered again */
export function takeApproval(
  request: ApprovalRequest,
  requester: Requester,
  configuration: Pick<Configuration, 'alerts' | 'clusters'>,
  at: Date,
): TakenApproval {
  const permission = whoApproves(request, requester, configuration);
  if (permission.kind === 'refused') {
    const { why, who } = permission;
    return { kind: 'refused', why, ...(who === undefined ? {} : { entry: refusedEntry(request, who, why, at) }) };
  }
  const { kind: verb, cluster, pool, config, reason } = request;
  const name = safeLine(requester.who, 60);
  const approval = { cluster, pool, config, who: permission.who, name, verb, at: at.toISOString(), reason };
  const names = verb === 'revoke' ? identitiesOf(permission.person).filter(mayApprove) : [permission.who];
  return { kind: 'taken', approvals: names.map((who) => ({ ...approval, who })), entry: takenEntry(approval) };
}

function takenEntry({ verb, config, who, name, reason, ...of }: Approval): TimelineEntry {
  const did = verb === 'approve' ? 'approved' : 'no longer approved';
  const because = reason === '' ? '' : `: ${safeLine(reason, 300)}`;
  return entryOf({ ...of, verb, config, who }, `${config} ${did} by ${personText(who, name)}${because}`);
}

function refusedEntry({ kind, ...of }: ApprovalRequest, who: string, why: string, at: Date): TimelineEntry {
  const about = { ...of, verb: `${kind}-refused`, who, at: at.toISOString() };
  return entryOf(about, `${kind} ${of.config} by ${who} was refused: ${why}`);
}

function entryOf(
  {
    cluster,
    pool,
    config,
    who,
    verb,
    at,
  }: Pick<Approval, 'cluster' | 'pool' | 'config' | 'who' | 'at'> & { readonly verb: string },
  text: string,
): TimelineEntry {
  const id = [cluster, pool, 'approval', config, who, verb, at].join('/');
  return { id, at, cluster, pool, type: 'approval', text, correlation: config };
}

function personText(who: string, name: string): string {
  return name === '' ? who : `${who} (${name})`;
}
