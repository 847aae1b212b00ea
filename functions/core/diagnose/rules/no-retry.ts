import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { isDraining, isInFlight } from '../../openshift/node.ts';
import { secondsSince } from '../../text/instant.ts';
import { ageText, between } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { daemonLog, forceFile } from './degraded-rule.ts';

/** What the daemon complains of is no more. */
export interface GoneCause {
  /** `rendered-worker-bbb exists again`: for the sentence. */
  readonly what: string;
  /** ISO instant since when; undefined: not known. */
  readonly since: string | undefined;
}

/** The daemon tries again after a minute at most; a retry that takes longer than this has not been made. */
const retrySeconds = 300;
/** Where the daemon has written anything since, it may have been a retry; so long after it none of them has helped. */
const patienceSeconds = 1_800;

/** The cause of a failure is gone: will the MCO find out by itself? Undefined while its next try is still due, or
 *  where it has tried since. N17 otherwise, with the nudge that it needs. OKD knows this as nodes that stay Degraded
 *  after the repair. */
export function notRetried(subject: NodeSubject, { what, since }: GoneCause): Finding | undefined {
  const { node, readAt } = subject;
  if (since === undefined) return undefined;
  const now = new Date(readAt);
  const hasWritten = node.reportedAt !== undefined && Date.parse(node.reportedAt) > Date.parse(since);
  const waited = secondsSince(since, now);
  if (waited < (hasWritten ? patienceSeconds : retrySeconds)) return undefined;

  const of = ref('Node', node.name);
  const last = node.reportedAt === undefined ? '' : `; it last wrote at ${node.reportedAt}`;
  return finding({
    code: 'N17',
    subject: of,
    sentence: `${node.name} stays ${node.state} although the cause is gone: ${what}, since ${ageText(between(since, readAt))}, and its config daemon has not tried again${last}.`,
    confidence: hasWritten || node.reportedAt === undefined ? 'likely' : 'strong',
    class: 'structural',
    evidence: [
      evidence(of, 'metadata.annotations[machineconfiguration.openshift.io/state]', node.state, readAt),
      evidence(
        of,
        'metadata.annotations[desiredDrain, lastAppliedDrain]',
        `${node.desiredDrain}, ${node.lastAppliedDrain}`,
        readAt,
      ),
      ...(node.reportedAt === undefined
        ? []
        : [evidence(of, 'metadata.managedFields[state].time', node.reportedAt, readAt)]),
    ],
    remedies: nudges(subject),
  });
}

/** The gentlest first: see what it does instead. A daemon that is restarted validates the node and goes on with
 *  the update: it drains and reboots as the rollout would have. */
function nudges({ node }: NodeSubject) {
  const isPending = isInFlight(node);
  const then = isPending ? ', which then goes on: it drains and reboots the node as the rollout would have' : '';
  return [
    daemonLog(node.name),
    remedy(`Nudge: start the config daemon of ${node.name} anew${then}`, {
      command: command(
        'oc',
        '-n',
        mcoNamespace,
        'delete',
        'pod',
        '-l',
        'k8s-app=machine-config-daemon',
        '--field-selector',
        `spec.nodeName=${node.name}`,
      ),
      risk: isPending ? 'outage' : 'low',
    }),
    forceFile(node.name),
  ];
}

/** What the daemon keeps on the disk overrides the annotations and may name a config that neither of them has: after
 *  they were edited by hand, or etcd was restored. Source: machine-config-operator pkg/daemon/daemon.go
 *  `checkStateOnFirstRun`; issue 2010. */
const asksByDisk =
  /on-disk state|disk validation|"? (?:was |is )?(?:not found|does not exist)|(?:un|not )able to find/i;

/** Texts of the daemon's own that are about one or two rendered configs. Source: machine-config-operator
 *  pkg/daemon/update.go. */
const aboutConfigs =
  /(?:can't reconcile config|\bconfigs|\bMachineConfigs|pending config:?) (rendered-[a-z0-9.-]{1,250})(?:(?: with|,| and) (rendered-[a-z0-9.-]{1,250}))?(?=[:\s]|$)/i;

/** Paths, units and quotes may hold any name, as `/var/opt/rendered-charts-2024`: what stands from the first of them on
 *  is not the daemon's own. */
function configsIn(reason: string): readonly string[] {
  const [own = ''] = reason.split(/["/]/, 1);
  return (aboutConfigs.exec(own) ?? []).slice(1).filter((each) => each !== undefined);
}

/** What the annotations alone show to be over: a failure of another target, or a drain that has been done or is not
 *  asked for. */
export function goneByAnnotations({ node }: NodeSubject, reason: string, isDrain: boolean): GoneCause | undefined {
  if (isDrain && node.desiredDrain !== '' && !isDraining(node)) {
    return node.lastAppliedDrain.startsWith('drain-')
      ? { what: `the node has been drained (${node.lastAppliedDrain})`, since: node.targetedAt }
      : { what: 'no drain is asked for any more', since: node.reportedAt };
  }
  if (asksByDisk.test(reason)) return undefined;
  const named = configsIn(reason);
  const other = named.find((each) => each !== node.currentConfig && each !== node.desiredConfig);
  const isAboutTarget = node.desiredConfig !== node.currentConfig && named.includes(node.desiredConfig);
  if (other === undefined || isAboutTarget) return undefined;
  return { what: `it is about ${other}, and the node has been given ${node.desiredConfig}`, since: node.targetedAt };
}
