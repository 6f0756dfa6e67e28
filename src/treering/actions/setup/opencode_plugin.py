"""The plugin by which opencode calls `treering hook agent`: it has no hooks that are commands.

opencode takes no words before a tool runs. What is known of the lines of an edit is asked for then,
while they still stand in the file, and told with the result.
"""

PLUGIN = """\
// treering tells opencode's agent what is remembered about its task and the lines it works on.
// Written by `treering init --client opencode`; `treering uninstall` takes it away.
import { spawn } from "node:child_process"

const PATIENCE = 2000 // milliseconds
const EDITS = ["edit", "write", "apply_patch"]

// The answer of treering, or nothing where it is not installed, fails or takes too long.
const ask = (directory, event, session, input) =>
  new Promise((resolve) => {
    const options = { cwd: directory, stdio: ["pipe", "pipe", "ignore"] }
    const child = spawn("treering", ["hook", "agent", "opencode", event], options)
    const timer = setTimeout(() => {
      child.kill()
      resolve("")
    }, PATIENCE)
    let answer = ""
    child.stdout.on("data", (part) => (answer += part))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(answer).text)
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ session_id: session, cwd: directory, ...input }))
  }).catch(() => "")

const quietly = (hook) => async (input, output) => {
  try {
    await hook(input, output)
  } catch {}
}

export const Treering = async ({ directory }) => {
  const begun = new Set()
  const untold = new Map()
  return {
    "chat.message": quietly(async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!typed.length) return
      const texts = []
      if (!begun.has(sessionID)) texts.push(await ask(directory, "session.created", sessionID))
      begun.add(sessionID)
      const prompt = typed.map((part) => part.text).join("\\n")
      texts.push(await ask(directory, "chat.message", sessionID, { prompt }))
      const text = texts.filter(Boolean).join("\\n")
      const ids = { id: `${parts.at(-1).id}t`, sessionID, messageID: message.id }
      if (text) parts.push({ ...ids, type: "text", synthetic: true, text })
    }),
    "tool.execute.before": quietly(async ({ tool, sessionID, callID }, { args }) => {
      if (!EDITS.includes(tool)) return
      const input = { tool_name: tool, tool_input: args }
      untold.set(callID, await ask(directory, "tool.execute.before", sessionID, input))
    }),
    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, result) => {
      let text = untold.get(callID)
      untold.delete(callID)
      const input = { tool_name: tool, tool_input: args }
      if (tool === "read") text = await ask(directory, "tool.execute.after", sessionID, input)
      if (text && typeof result.output === "string") result.output += `\\n\\n${text}`
    }),
    "experimental.session.compacting": quietly(async ({ sessionID }) => {
      ask(directory, "experimental.session.compacting", sessionID)
    }),
  }
}
"""
