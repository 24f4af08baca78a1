# What the word count must say, by tr, sort and awk. Sourced.

# The words of texts, each with how often it occurs: "WORD COUNT".
words_of() {  # words_of FILE...
  cat -- "$@" | tr -cs 'A-Za-z' '\n' | tr 'A-Z' 'a-z' |
    awk '$0 != "" { count[$0]++ } END { for (word in count) printf "%s %.0f\n", word, count[word] }'
}

# The lines that word_count owes for such counts, sorted: each 1000th time, and the last.
lines_for_words() {
  awk '{ for (n = 1000; n < $2; n += 1000) printf "%s %.0f\n", $1, n; printf "%s %.0f\n", $1, $2 }' | sort
}

# The lines that anybody sees in an output directory, sorted.
visible_lines() {  # visible_lines DIRECTORY
  cat -- "$1"/part-* | sort
}
