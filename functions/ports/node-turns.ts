import type { TurnHttp } from '../core/configuration/turn-http.ts';
import type { Listed } from '../core/findings/listed.ts';
import type { RawSelector } from '../core/node-turns/canary-write.ts';
import type { CallAnswer, RuleEvent } from '../core/node-turns/rule-call.ts';
import type { Invocation } from '../core/node-turns/rule-invocation.ts';
import type { ReadyNode } from '../core/node-turns/turn-node.ts';
import type { StoredText } from './sequences.ts';

/** The records of runs, each in a ConfigMap of its cluster. */
export interface RunRecords {
  /** Undefined: there is none yet. Throws Transient, `forbidden` without permission. */
  load(namespace: string, run: string): Promise<StoredText | undefined>;
  /** Writes it if it is still as it was read; undefined: if there is none. Throws Transient, `conflict` if somebody was
   *  faster. */
  save(namespace: string, run: string, written: StoredText): Promise<void>;
}

/** A node as it is at this moment. */
export interface FreshNode {
  readonly node: ReadyNode;
  readonly resourceVersion: string;
}

/** The nodes of one cluster, as far as turns need more of them than their metadata. Every call throws Transient. */
export interface TurnNodes {
  /** All nodes, as the table that `oc get nodes` prints: whole ones would be 40 MB of 2,000. */
  listReadyNodes(): Promise<Listed<ReadyNode>>;
  /** Undefined only if the API server says that it does not exist. */
  readReadyNode(name: string): Promise<FreshNode | undefined>;
  /** Sets `desiredConfig`, or cordons it, if the whole node is still as it was read. Throws Transient `conflict` if it
   *  is not. */
  changeNode(node: FreshNode, change: NodeChange): Promise<void>;
}

export type NodeChange =
  | { readonly desiredConfig: string }
  | { readonly unschedulable: true }
  /** Null: the label is removed. */
  | { readonly labels: Readonly<Record<string, string | null>> };

/** A pool as far as mode canary writes it, with whatever its selector says. */
export interface FreshPool {
  readonly name: string;
  readonly resourceVersion: string;
  readonly nodeSelector: RawSelector;
  /** The annotation that says what a run has written; undefined: there is none. */
  readonly noted: string | undefined;
}

/** Null: the annotation is removed. */
export type FreshPoolChange = { readonly nodeSelector: RawSelector } | { readonly noted: string | null };

/** Pools as mode canary reads and writes them. Every call throws Transient. */
export interface CanaryPools {
  listFreshPools(): Promise<readonly FreshPool[]>;
  /** Undefined only if the API server says that it does not exist. */
  readFreshPool(name: string): Promise<FreshPool | undefined>;
  /** If the whole pool is still as it was read. Throws Transient `conflict` if it is not. */
  changePool(pool: FreshPool, change: FreshPoolChange): Promise<void>;
}

/** What the API server says of a Job that is to be made. `forbidden`: the account may not. */
export type JobCheck =
  | { readonly kind: 'valid' }
  /** With the field, in the words of the API server. */
  | { readonly kind: 'refused' | 'forbidden'; readonly why: string };

/** Makes a Job, if there is none of its name. */
export interface JobMaker {
  /** `there`: there is one of this name already. Throws Transient: `forbidden` without permission. */
  createJob(namespace: string, manifest: Readonly<Record<string, unknown>>): Promise<'created' | 'there'>;
  /** The same, and nothing is stored: whether this account could make it. Throws Transient where nobody can say. */
  checkJob(namespace: string, manifest: Readonly<Record<string, unknown>>): Promise<JobCheck>;
}

/** What runs write and read. */
export interface NodeTurnPorts {
  readonly records: RunRecords;
  readonly nodes: TurnNodes;
  readonly jobs: JobMaker;
  readonly canary: CanaryPools;
}

/** Systems of somebody else that rules of type http tell. */
export interface RuleCalls {
  /** Posts the event to this address once. */
  post(http: TurnHttp, url: string, event: RuleEvent): Promise<CallAnswer>;
}

/** Functions of AWS that rules of type lambda invoke. */
export interface RuleFunctions {
  /** Invokes it once with the event, and waits for what it returns. */
  invoke(name: string, timeoutSeconds: number, event: RuleEvent): Promise<Invocation>;
}
