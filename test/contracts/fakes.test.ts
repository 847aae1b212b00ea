import { argocdContract } from './argocd.contract.ts';
import { fakeArgoCdLab, fakePoolsLab, fakeTablesLab } from './fake-labs.ts';
import { poolsContract } from './pools.contract.ts';
import { tablesContract } from './tables.contract.ts';

poolsContract('fake', fakePoolsLab);
argocdContract('fake', fakeArgoCdLab);
tablesContract('fake', fakeTablesLab);
