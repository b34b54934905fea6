// Answers to numbers and choices: what is said was said by the exercise when the page was made
const judged_of = (form) => JSON.parse(new TextDecoder().decode(
  Uint8Array.from(atob(form.dataset.judged), (letter) => letter.charCodeAt(0))))
const is_near = (answer, to, tolerance) => Math.abs(answer - to) <= tolerance * Math.max(Math.abs(answer), Math.abs(to))

// A number as people type it, by the grammar of the engine's own reader (kinds/typed.py); where it is none, a sentence
const grammar = Object.fromEntries(Object.entries(TYPED.grammar).map(([name, pattern]) => [name, new RegExp(pattern)]))
const spaces = new RegExp(TYPED.grammar.spaces, "g")

function typed_number(text, {endings, unknown, leading, wanted}) {
  let typed = text.trim()
  if (leading && typed.startsWith(leading)) typed = typed.slice(leading.length).trim()
  typed = typed.replace(spaces, "")
  const refused = (why, shown = typed) => [NaN, `'${shown}' ${why}; it is wanted ${wanted}.`]
  if (typed.length > TYPED.longest) return refused(TYPED.refused.long, `${typed.slice(0, 20)}…`)
  const is_several = grammar.several.test(typed)
  if (!is_several && grammar.either.test(typed)) return refused(TYPED.refused.either)
  const found = typed.replaceAll(",", is_several ? "" : ".").match(grammar.number)
  if (!found) return refused(TYPED.refused.none)
  const [, above, below, behind] = found, ending = behind.trim()
  if (!below && grammar.mixed.test(behind)) return refused(TYPED.refused.mixed)
  const size = Object.hasOwn(endings, ending) ? endings[ending] : unknown
  if (typeof size === "string") return refused(size)
  const [over, under] = [above, below ?? "1"].map((digits) => Number(digits.replaceAll("_", "")))
  if (under === 0) return refused(TYPED.refused.zero)
  const number = over / under * size
  return Math.abs(number) < TYPED.largest ? [number, ""] : refused(TYPED.refused.large)
}

function judged_number(text, judged) {
  const {key, tolerance, within, side, right, wrong, other} = judged
  const [answer, refused] = typed_number(text, judged)
  if (refused) return [null, refused]
  const other_side = side && (answer - 1) * (key - 1) <= 0
  const is_predicted = answer > 0 && answer / key <= within && key / answer <= within && !other_side
  const is_right = within ? is_predicted : is_near(answer, key, tolerance)
  if (is_right) return [true, right]
  const idea = wrong.find(([value]) => is_near(answer, value, tolerance))
  return [false, idea ? idea[1] : other || `${text.trim()} is too ${answer > key ? "large" : "small"}.`]
}

for (const form of document.querySelectorAll("form.answer")) form.addEventListener("submit", (event) => {
  event.preventDefault()
  const judged = judged_of(form), field = form.querySelector("[type=text]")
  const chosen = [...form.querySelectorAll(":checked")].map((each) => each.value).join(" ")
  const [right, said] = field ? judged_number(field.value, judged) : judged.said[chosen]
  const place = form.querySelector(".judged")
  place.dataset.right = String(right)
  place.textContent = `${right === null ? "" : right ? "✓ " : "✗ "}${said}`
})
