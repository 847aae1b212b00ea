import type { SequenceGate } from '../configuration/sequence.ts';
import { jobState } from '../openshift/job.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { given } from '../text/given.ts';
import { plusSeconds } from '../text/instant.ts';
import { clipped } from '../text/phrases.ts';
import { stable } from '../text/stable.ts';
import type { GateVerdict } from './judge-gate.ts';
import { managedByLabel, sequenceLabel } from './own-object.ts';

/** A check that runs as a Job: its exit status decides. */
export interface CheckJob {
  readonly namespace: string;
  /** Follows from sequence, gate, image and command: however often it is looked at, there is one. */
  readonly name: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Fingerprint of what it runs, as whom, where and at which attempt. */
  readonly of: string;
}

/** Seconds for one run: what takes longer is no check. */
const deadlineSeconds = 600;
/** Seconds that a finished Job and its log stay. A day: people look the next morning. */
const keptSeconds = 86_400;

/** The Job of a gate with `command`, or with an image that is its own command; undefined: it has none. */
export function checkJobOf(
  gate: SequenceGate,
  of: { readonly sequence: string; readonly namespace: string; readonly id: string; readonly attempt?: number },
): CheckJob | undefined {
  const { image, command, resourceType, preset, serviceAccount = 'default' } = gate;
  const asksObjects = resourceType !== undefined || preset !== undefined;
  if (image === undefined || (asksObjects && command === undefined)) return undefined;
  const namespace = gate.resourceNamespace ?? of.namespace;
  const name = `poolkeeper-check-${fingerprint(stable([of.sequence, of.id, image, command]))}`;
  const labels = { ...managedByLabel, [sequenceLabel]: of.sequence };
  return {
    namespace,
    name,
    of: fingerprint(stable([name, namespace, serviceAccount, of.attempt ?? 0])),
    manifest: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace, labels, annotations: { 'poolkeeper.dev/gate': of.id } },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: deadlineSeconds,
        ttlSecondsAfterFinished: keptSeconds,
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: 'Never',
            serviceAccountName: serviceAccount,
            containers: [
              {
                name: 'check',
                image,
                ...given({ command }),
                resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '512Mi' } },
                securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
                terminationMessagePolicy: 'FallbackToLogsOnError',
              },
            ],
          },
        },
      },
    },
  };
}

/** How a check stands: what it says, and when it ended. */
export interface CheckSeen {
  readonly verdict: GateVerdict;
  /** ISO instant of its end, if it failed: after the interval of its gate it is run again. */
  readonly failedAt: string | undefined;
}

/** @param log the end of what its pod printed, masked; empty: nothing, or it could not be read */
export function judgeCheck(job: unknown, log: string): CheckSeen {
  const state = jobState(job);
  switch (state.kind) {
    case 'complete':
      return { verdict: { kind: 'open', value: 'its check succeeded' }, failedAt: undefined };
    case 'running':
      return { verdict: { kind: 'closed', value: 'its check is running' }, failedAt: undefined };
    case 'failed': {
      const why = state.reason === 'DeadlineExceeded' ? `took longer than ${deadlineSeconds} s` : 'failed';
      const said = log.trim() === '' ? '' : `: ${clipped(log, 300)}`;
      return {
        verdict: { kind: 'closed', value: `its check ${why}${said}` },
        failedAt: state.at ?? new Date(0).toISOString(),
      };
    }
    default:
      return state satisfies never;
  }
}

/** When a check that failed is run again. */
export function runsAgainAt(failedAt: string, intervalSeconds: number): string {
  return plusSeconds(new Date(failedAt), intervalSeconds);
}
