import { type Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, type CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface StateTableProps {
  /** Survives the stack, can be restored, refuses to be deleted. */
  readonly keepsData: boolean;
}

/** Incidents, deliveries, timeline, races and what a pass remembers. No hold stands here: the pools carry them,
 *  so losing this table repeats or forgets messages but never resumes a pool. */
export class StateTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, { keepsData }: StateTableProps) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      // Clears away what is long over; nothing relies on its hour, expiry is tested in every condition.
      timeToLiveAttribute: 'ttl',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // CloudFormation deletes a table whose logical id changes and makes an empty one: the id must survive every
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

  /** Reads and writes of items and of item collections; no scan, no deletion, no change of the table. */
  keptBy(...keepers: readonly PoolkeeperFunction[]): void {
    for (const keeper of keepers) this.table.grant(keeper, ...readActions, ...writeActions);
  }

  readBy(...readers: readonly PoolkeeperFunction[]): void {
    for (const reader of readers) this.table.grant(reader, ...readActions);
  }

  /** Single items, of which the key is known. */
  lookedUpBy(reader: PoolkeeperFunction): void {
    this.table.grant(reader, 'dynamodb:GetItem');
  }

  /** Notes of the caller's own, whose keys are known. */
  notedBy(writer: PoolkeeperFunction): void {
    this.table.grant(writer, 'dynamodb:GetItem', 'dynamodb:PutItem');
  }

  /** Requests that DynamoDB put off. On demand this means more than twice the former peak at once. */
  throttles(period: Duration): { readonly reads: Metric; readonly writes: Metric } {
    const statistic = 'Sum';
    return {
      reads: this.table.metric('ReadThrottleEvents', { period, statistic }),
      writes: this.table.metric('WriteThrottleEvents', { period, statistic }),
    };
  }
}

/** Exactly the calls of functions/adapters/aws/table.ts; a test compares. */
const readActions = ['dynamodb:GetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem'];
