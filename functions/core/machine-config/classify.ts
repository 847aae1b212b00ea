import { unique } from '../text/unique.ts';
import { decodeContents } from './decode.ts';
import { type DisruptionClass, type DisruptionReason, disruptionClasses } from './disruption.ts';
import {
  type DisruptionAction,
  type DisruptionPolicy,
  defaultDisruptionPolicy,
  fileActions,
  registriesConf,
  unitActions,
} from './disruption-policy.ts';
import type { Facet } from './facet.ts';
import { broughtBy, type FacetChange, subjectOf, whatOf } from './facet-change.ts';
import { isObject, isSame } from './json.ts';
import type { MergedFacet } from './merge-facets.ts';
import { addsDigestMirrorsOnly } from './registries-conf.ts';

/** The properties of a cluster and a pool that affect the disruption of a change. */
export interface Circumstances {
  /** Undefined: unknown; the MCO's defaults apply. */
  readonly policy?: DisruptionPolicy | undefined;
  /** A single-node cluster is never drained: there is no other node. Unknown counts as false. */
  readonly isSingleNode?: boolean | undefined;
  /** The pool runs images built on the cluster: a difference may mean a new image, and that a reboot. */
  readonly isLayered?: boolean | undefined;
}

export interface Disruption {
  readonly class: DisruptionClass;
  /** Worst first. */
  readonly reasons: readonly DisruptionReason[];
}

interface Judged {
  readonly class: DisruptionClass;
  readonly why: string;
}

/** Disruption of a pool's nodes by the differences between two rendered configs. Never less than what the MCO does:
 *  whatever is not understood counts as a reboot. Source: MCO pkg/daemon/update.go,
 *  calculatePostConfigChangeNodeDisruptionAction. */
export function classify(changes: readonly FacetChange<MergedFacet>[], circumstances: Circumstances = {}): Disruption {
  return disruptionOf(
    changes.map((change) => ({ change, source: broughtBy(change) })),
    (change) => judge(change, circumstances, exactRegistries),
  );
}

/** The same for the two sides of one MachineConfig when the other sources are unknown: never less than from the
 *  rendered configs. */
export function classifyOwn(
  changes: readonly FacetChange[],
  { source, ...circumstances }: Circumstances & { readonly source: string },
): Disruption {
  return disruptionOf(
    changes.map((change) => ({ change, source })),
    (change) => judge(change, circumstances, unknownRegistries),
  );
}

export function worstClass(classes: readonly DisruptionClass[]): DisruptionClass {
  return classes.reduce((worst, each) => (rank(each) > rank(worst) ? each : worst), 'none');
}

/** Higher is worse. */
export function rank(disruption: DisruptionClass): number {
  return disruptionClasses.indexOf(disruption);
}

function disruptionOf<C extends FacetChange>(
  items: readonly { readonly change: C; readonly source: string }[],
  judgement: (change: C) => Judged,
): Disruption {
  const reasons = items.flatMap(({ change, source }): readonly DisruptionReason[] => {
    const subject = subjectOf(change);
    return subject === undefined ? [] : [{ what: whatOf(subject), ...judgement(change), source }];
  });
  return {
    class: worstClass(reasons.map((reason) => reason.class)),
    reasons: reasons.toSorted((left, right) => rank(right.class) - rank(left.class)),
  };
}

type RegistriesRule = (change: FacetChange) => boolean;

function judge(change: FacetChange, circumstances: Circumstances, isSafe: RegistriesRule): Judged {
  const subject = subjectOf(change);
  if (subject === undefined) return { class: 'none', why: 'nothing changes' };
  if (circumstances.isLayered === true)
    return { class: 'reboot', why: 'its pool runs an image built on the cluster, which may be rebuilt for it' };
  const policy = circumstances.policy ?? defaultDisruptionPolicy;
  switch (subject.kind) {
    case 'file':
      return judgeFile(change, subject, { ...circumstances, policy }, isSafe);
    case 'unit':
      return judgeActions(unitActions(policy, subject.name), circumstances, false);
    case 'user':
      return judgeUser(change, subject, { ...circumstances, policy });
    case 'opaque':
      return { class: 'reboot', why: 'the MCO refuses it on a running node, or it is unknown' };
    case 'fips':
      return { class: 'reboot', why: 'the MCO refuses to change FIPS mode on a running node' };
    case 'kernelArguments':
    case 'kernelType':
    case 'extensions':
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return { class: 'reboot', why: 'every change of it needs a reboot' };
    default:
      return subject.kind satisfies never;
  }
}

type Known = Circumstances & { readonly policy: DisruptionPolicy };

function judgeFile(change: FacetChange, { name }: Facet, known: Known, isSafe: RegistriesRule): Judged {
  if (changedFields(change).includes('append')) return { class: 'reboot', why: 'the MCO refuses to append to a file' };
  return judgeActions(fileActions(known.policy, name), known, name === registriesConf && isSafe(change));
}

/** Only keys and password of user core can change on a running node. */
function judgeUser(change: FacetChange, { name }: Facet, known: Known): Judged {
  if (name !== 'core') return { class: 'reboot', why: 'the MCO refuses users other than core' };
  const others = changedFields(change).filter(
    (field) => !['name', 'sshAuthorizedKeys', 'passwordHash'].includes(field),
  );
  if (others.length > 0) return { class: 'reboot', why: 'the MCO refuses anything but keys and password of a user' };
  return judgeActions(known.policy.sshkey, known, false);
}

/** Fields that differ: never more in a rendered config than in the MachineConfig that changes. */
function changedFields({ before, after }: FacetChange): readonly string[] {
  const old = isObject(before?.value) ? before.value : {};
  const now = isObject(after?.value) ? after.value : {};
  return unique([...Object.keys(old), ...Object.keys(now)]).filter((field) => !isSame(old[field], now[field]));
}

function judgeActions(
  actions: readonly DisruptionAction[] | undefined,
  circumstances: Circumstances,
  isSafeAddition: boolean,
): Judged {
  if (actions === undefined) return { class: 'reboot', why: 'no policy for it allows less' };
  if (actions.length === 0) return { class: 'reboot', why: 'its policy names no action' };
  return actions
    .map((action) => judgeAction(action, circumstances.isSingleNode === true, isSafeAddition))
    .reduce((worst, each) => (rank(each.class) > rank(worst.class) ? each : worst));
}

function judgeAction({ type, service }: DisruptionAction, isSingleNode: boolean, isSafeAddition: boolean): Judged {
  switch (type) {
    case 'None':
      return { class: 'none', why: 'the policy requires no action' };
    case 'DaemonReload':
      return { class: 'reload', why: 'the policy reloads systemd' };
    case 'Reload':
      return { class: 'reload', why: `the policy reloads ${service}` };
    case 'Restart':
      return { class: 'restart', why: `the policy restarts ${service}` };
    case 'Drain':
      return isSingleNode
        ? { class: 'reload', why: 'a single node is never drained' }
        : { class: 'drain', why: 'the policy drains the node' };
    case 'Special':
      if (isSafeAddition)
        return { class: 'reload', why: 'it only adds mirrors that serve by digest: crio.service is reloaded' };
      return isSingleNode
        ? { class: 'reload', why: 'crio.service is reloaded; a single node is never drained' }
        : { class: 'drain', why: 'it does more than add mirrors that serve by digest, or is unclear' };
    case 'Reboot':
      return { class: 'reboot', why: 'the policy reboots the node' };
    default:
      return { class: 'reboot', why: 'the policy requires an unknown action' };
  }
}

function exactRegistries({ before, after }: FacetChange): boolean {
  const [old, now] = [before, after].map((facet) =>
    decodeContents(isObject(facet?.value) ? facet.value['contents'] : {}),
  );
  const isText = before !== undefined && after !== undefined && old?.kind === 'text' && now?.kind === 'text';
  return isText && addsDigestMirrorsOnly(old.text, now.text);
}

/** Another source may win or contribute fields: the content of the file is known only after merging everything. */
function unknownRegistries(): boolean {
  return false;
}
