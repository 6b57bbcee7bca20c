import { runMcpProxy } from '../../vendor/memory-core/full.ts';
import { zcode } from '../zcode.ts';

runMcpProxy(zcode);
