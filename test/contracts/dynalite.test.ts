import { dynaliteTablesLab } from './dynalite-labs.ts';
import { tablesContract } from './tables.contract.ts';

tablesContract('DynamoDB', dynaliteTablesLab);
