import { type Answer, parseJson, type TestRequest } from './exchange.ts'
import { violation } from './show-exchange.ts'

/** Asserts in the middle of a rule. */
export function ensure(
  isRight: boolean,
  problem: string,
  request: TestRequest,
  answer?: Answer,
): asserts isRight {
  if (!isRight) violation(problem, request, answer)
}

/** Returns the plants of a list. */
export function plantsOf(request: TestRequest, answer: Answer): readonly { name: string }[] {
  const plants = parseJson(answer.text)
  ensure(Array.isArray(plants), 'The body must be a list', request, answer)
  return plants
}
