/** Answers the questions of the process that started this one, until that one ends. */
export function answerParent(answers: Record<string, (question: any) => unknown>): void {
  process.on('message', async (question: { what: string }) => {
    try {
      process.send!({ answer: await answers[question.what]!(question) })
    } catch (error) {
      process.send!({ error: error instanceof Error ? error.stack : `${error}` })
    }
  })
  process.on('disconnect', () => process.exit())
}
