import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type {
  Approvals,
  AskedRequests,
  BudgetPlaces,
  Checkpoints,
  FleetLocks,
  Incidents,
  JointMessageLists,
  KeptCalendars,
  NodeRollouts,
  Paces,
  Races,
  Routes,
  RuleCallbacks,
  RunViews,
  SequenceRequests,
  SequenceViews,
  Timeline,
  Views,
} from '../../ports/tables.ts';
import { clientSettings } from './client-settings.ts';
import { dynamoApprovals } from './dynamo-approvals.ts';
import { dynamoAskedRequests } from './dynamo-asked-requests.ts';
import { dynamoCheckpoints } from './dynamo-checkpoints.ts';
import { dynamoFleetLocks } from './dynamo-fleet-locks.ts';
import { dynamoIncidents } from './dynamo-incidents.ts';
import { dynamoJointMessages } from './dynamo-joint-messages.ts';
import { dynamoKeptCalendars } from './dynamo-kept-calendars.ts';
import { dynamoNodeRollouts } from './dynamo-node-rollouts.ts';
import { dynamoPaces } from './dynamo-paces.ts';
import { dynamoPlaces } from './dynamo-places.ts';
import { dynamoRaces } from './dynamo-races.ts';
import { dynamoRoutes } from './dynamo-routes.ts';
import { dynamoRuleCallbacks } from './dynamo-rule-callbacks.ts';
import { dynamoRunViews } from './dynamo-run-views.ts';
import { dynamoSequenceRequests } from './dynamo-sequence-requests.ts';
import { dynamoSequenceViews } from './dynamo-sequence-views.ts';
import { dynamoTimeline } from './dynamo-timeline.ts';
import { dynamoViews } from './dynamo-views.ts';
import { openTable, type TableOptions } from './table.ts';

export interface DynamoTables {
  readonly approvals: Approvals;
  readonly askedRequests: AskedRequests;
  readonly timeline: Timeline;
  readonly races: Races;
  readonly views: Views;
  readonly sequenceViews: SequenceViews;
  readonly runViews: RunViews;
  readonly ruleCallbacks: RuleCallbacks;
  readonly sequenceRequests: SequenceRequests;
  readonly routes: Routes;
  readonly checkpoints: Checkpoints;
  readonly incidents: Incidents;
  readonly nodeRollouts: NodeRollouts;
  readonly budgetPlaces: BudgetPlaces;
  readonly fleetLocks: FleetLocks;
  readonly paces: Paces;
  readonly keptCalendars: KeptCalendars;
  readonly jointMessages: JointMessageLists;
}

/** A client with time limits; created once per cold start. `config` sets the endpoint of an embedded DynamoDB. */
export function openDynamoDb(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ ...clientSettings, ...config });
}

/** All ports over the one table (`pk`, `sk`, expiry attribute `ttl`). */
export function dynamoTables(options: TableOptions): DynamoTables {
  const table = openTable(options);
  return {
    approvals: dynamoApprovals(table),
    askedRequests: dynamoAskedRequests(table),
    timeline: dynamoTimeline(table),
    races: dynamoRaces(table),
    views: dynamoViews(table),
    sequenceViews: dynamoSequenceViews(table),
    runViews: dynamoRunViews(table),
    ruleCallbacks: dynamoRuleCallbacks(table, options.newId),
    sequenceRequests: dynamoSequenceRequests(table),
    routes: dynamoRoutes(table, options.newId),
    checkpoints: dynamoCheckpoints(table),
    incidents: dynamoIncidents(table),
    nodeRollouts: dynamoNodeRollouts(table),
    budgetPlaces: dynamoPlaces(table),
    fleetLocks: dynamoFleetLocks(table),
    paces: dynamoPaces(table),
    keptCalendars: dynamoKeptCalendars(table),
    jointMessages: dynamoJointMessages(table),
  };
}
