import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, type CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb';
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

  /** Reads and overwrites single items by key. */
  grantGetAndPutItem(writer: PoolkeeperFunction): void {
    this.table.grant(writer, 'dynamodb:GetItem', 'dynamodb:PutItem');
  }

  /** For a function that notes requests and approvals, and puts them on the timeline. */
  grantNoteAndTell(writer: PoolkeeperFunction): void {
    this.table.grant(writer, 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem');
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
