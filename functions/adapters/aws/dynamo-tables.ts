import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Incidents, Memories, Races, Routes, Stories, Timeline, Views } from '../../ports/tables.ts';
import { clientSettings } from './client-settings.ts';
import { dynamoIncidents } from './dynamo-incidents.ts';
import { dynamoMemories } from './dynamo-memories.ts';
import { dynamoRaces } from './dynamo-races.ts';
import { dynamoRoutes } from './dynamo-routes.ts';
import { dynamoStories } from './dynamo-stories.ts';
import { dynamoTimeline } from './dynamo-timeline.ts';
import { dynamoViews } from './dynamo-views.ts';
import { openTable, type TableOptions } from './table.ts';

export interface DynamoTables {
  readonly timeline: Timeline;
  readonly races: Races;
  readonly views: Views;
  readonly routes: Routes;
  readonly memories: Memories;
  readonly incidents: Incidents;
  readonly stories: Stories;
}

/** A client with time limits; once per cold start. `config` adds the endpoint of an embedded DynamoDB. */
export function openDynamoDb(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ ...clientSettings, ...config });
}

/** Everything that is kept in the one table (`pk`, `sk`, expiry attribute `ttl`). */
export function dynamoTables(options: TableOptions): DynamoTables {
  const table = openTable(options);
  return {
    timeline: dynamoTimeline(table),
    races: dynamoRaces(table),
    views: dynamoViews(table),
    routes: dynamoRoutes(table),
    memories: dynamoMemories(table),
    incidents: dynamoIncidents(table),
    stories: dynamoStories(table),
  };
}
