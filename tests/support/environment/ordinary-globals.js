import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/**
 * jest's environment for Node, over an ordinary global object. jest's own passes each use of a global (`Object`, `Math`,
 * `Buffer`) through an interceptor of node:vm and a Proxy, which takes a fifth of the tests' time.
 */
export default class OrdinaryGlobals extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    // The constructor makes its context by itself.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
