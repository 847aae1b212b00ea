import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, type CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface StateTableProps {
  /** Retained when the stack is destroyed, with point-in-time recovery and deletion protection. */
  readonly keepsData: boolean;
}

/** Incidents, deliveries, timeline, races and checkpoints of passes. Holds are not here but on the pools, so losing
 *  this table repeats or drops messages but never resumes a pool. */
export class StateTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, { keepsData }: StateTableProps) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      // Only cleans up: DynamoDB deletes late, so every condition tests expiry itself.
      timeToLiveAttribute: 'ttl',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // If the logical id changed, CloudFormation would replace the table by an empty one: it must survive every
    // refactoring.
    const resource = this.table.node.defaultChild as CfnTable;
    resource.overrideLogicalId('MemoryTable');
    if (!keepsData) {
      Validations.of(this.table).acknowledge({
        id: 'AwsSolutions-DDB3',
        reason: 'This stage can be thrown away: a backup would stay behind for 35 days after cdk destroy.',
      });
    }
  }

  /** Reads, queries and writes items; no scans, no deletes, no changes to the table. */
  grantReadWrite(...users: readonly PoolkeeperFunction[]): void {
    for (const user of users) this.table.grant(user, ...readActions, ...writeActions);
  }

  grantRead(...readers: readonly PoolkeeperFunction[]): void {
    for (const reader of readers) this.table.grant(reader, ...readActions);
  }

  /** Reads several items by key in one request. */
  grantBatchGetItem(...readers: readonly PoolkeeperFunction[]): void {
    for (const reader of readers) this.table.grant(reader, 'dynamodb:BatchGetItem');
  }

  /** Reads single items by key. */
  grantGetItem(reader: PoolkeeperFunction): void {
    this.table.grant(reader, 'dynamodb:GetItem');
  }

  /** Reads single items by key, and overwrites those of its own partitions (`*` stands for the rest of a key). */
  grantGetAndPutItem(writer: PoolkeeperFunction, ...partitions: readonly string[]): void {
    this.grantGetItem(writer);
    this.grantWrite(writer, ['dynamodb:PutItem'], partitions);
  }

  /** For a function that notes something of its own and puts it on the timeline. */
  grantNoteAndTell(writer: PoolkeeperFunction, ...partitions: readonly string[]): void {
    this.grantGetItem(writer);
    this.grantWrite(writer, writeActions, [...partitions, ...timelinePartitions]);
  }

  /** Source: Amazon DynamoDB, "Using IAM policy conditions for fine-grained access control": `dynamodb:LeadingKeys`. */
  private grantWrite(writer: PoolkeeperFunction, actions: string[], partitions: readonly string[]): void {
    Grant.addToPrincipal({
      grantee: writer,
      actions,
      resourceArns: [this.table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
    });
  }

  /** Requests that DynamoDB throttled. An on-demand table throttles beyond twice its previous peak. */
  throttles(period: Duration): { readonly reads: Metric; readonly writes: Metric } {
    const statistic = 'Sum';
    return {
      reads: this.table.metric('ReadThrottleEvents', { period, statistic }),
      writes: this.table.metric('WriteThrottleEvents', { period, statistic }),
    };
  }
}

/** Exactly the calls that functions/adapters/aws/table.ts makes; a test compares the two. */
const readActions = ['dynamodb:GetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem'];

/** Partitions that functions/adapters/aws/dynamo-timeline.ts writes. */
const timelinePartitions = ['timeline', 'told#*'];
