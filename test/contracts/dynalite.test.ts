import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { dynaliteTablesLab } from './dynalite-labs.ts';
import { tablesContract } from './tables.contract.ts';

tablesContract('DynamoDB', dynaliteTablesLab);
const { yieldToEventLoop } = systemRuntime;
tablesContract('DynamoDB, with reads that begin together in one request', () =>
  dynaliteTablesLab({ yieldToEventLoop }),
);
